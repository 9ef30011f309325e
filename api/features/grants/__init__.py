"""What approved requests opened: listed, ended, extended."""
