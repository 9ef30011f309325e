"""Teams with datasets, admins and stewards of their own."""
