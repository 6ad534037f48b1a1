"""The Data Bank: files that characters and chats may read in, found again by meaning and by words."""
