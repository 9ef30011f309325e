"""Lists and national forms as data: names, words, numbers of passports, licences and identities."""
