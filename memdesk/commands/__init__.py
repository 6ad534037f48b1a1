"""What the `memdesk` command does: one module for each kind of thing, each job returning what to print."""
