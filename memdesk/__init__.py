"""memdesk: roleplay chat with long-term memory that people can see, edit, freeze and explain."""

__version__ = "0.1.0"
