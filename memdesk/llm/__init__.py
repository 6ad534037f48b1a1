"""The client for OpenAI-compatible servers: profiles, discovery, streaming, errors."""
