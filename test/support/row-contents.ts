/** SQL for the text of a row of the table `t`, in comparisons of tables before and after requests. */
export function rowContents(table: string): string {
  // A sweep records once a day in each workspace that it has requested the periodic rules.
  return table === 'workspaces' ? `(to_jsonb(t) - 'periodic_through')::text` : 't::text';
}
