"""What is sent: parts, macros, token estimate, budget, assembly, receipt."""
