"""What approved requests opened: listed, ended, extended."""

COMMANDS = ("access grants", "access revoke", "request extend")
