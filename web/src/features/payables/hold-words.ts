/** The reason of a hold as people read it: the service gives some a name. */
export function reasonWords(reason: string): string {
  return reason === 'plan_not_accepted' ? 'the plan is not accepted yet' : reason;
}
