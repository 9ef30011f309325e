/** Spark names a job after the application and the command; the application is what people know. */
export function jobTitle(name: string): string {
  return name.replace(
    /\.(?:execute_|adaptive_|append_|overwrite_|write_to_|replace_|atomic_|create_)\w+(?:\..*)?$/,
    "",
  );
}

/** Whether a job of the graph is a consumer group that the brokers know, and no job that reports of itself. */
export function isConsumerGroup(job: object | undefined): boolean {
  return job !== undefined && "jobType" in job && job.jobType === "CONSUMER_GROUP";
}
