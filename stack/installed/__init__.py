"""Programs that the local servers need, fetched once and checked: Java, jars, archives; and their versions."""
