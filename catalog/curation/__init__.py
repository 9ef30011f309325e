"""What people state about datasets: certification, deprecation, announcements, properties, data products."""
