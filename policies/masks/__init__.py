"""Masks: how much each hides (`order`), their other names (`names`), their Spark SQL (`primitives`, `expression`),
the check of CUSTOM expressions (`custom`), the same in plain Python (`reference`), and a preview (`preview`)."""
