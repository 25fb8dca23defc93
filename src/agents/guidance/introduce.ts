interface Known {
  readonly caller: { readonly name: string; readonly repId: string | null; readonly role: string | null };
  readonly name: string;
  readonly currency: string;
  readonly timezone: string;
  readonly testDay?: string;
}

/** Who the agent acts for, where, and which day it is. Names are quoted, because others wrote them. */
export function introduce(response: unknown, todayIn: (timeZone: string) => string): string {
  const { caller, name, currency, timezone, testDay = todayIn(timezone) } = response as Known;
  const person = caller.repId === null ? '' : ` (repId ${caller.repId})`;
  return `You act for ${JSON.stringify(caller.name)}${person}, role ${caller.role ?? 'none'}, in the workspace ${JSON.stringify(name)}. Its currency is ${currency}, its time zone ${timezone}, and there it is ${testDay} today.`;
}
