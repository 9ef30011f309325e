/** Spark names a job after the application and the command; the application is what people know. */
export function jobTitle(name: string): string {
  return name.replace(
    /\.(?:execute_|adaptive_|append_|overwrite_|write_to_|replace_|atomic_|create_)\w+(?:\..*)?$/,
    "",
  );
}
