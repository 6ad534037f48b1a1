"""What is said: characters, personas, chats, messages, swipes."""
