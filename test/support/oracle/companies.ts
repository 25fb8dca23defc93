/** From a day on, a person belongs to a company. Null: from the beginning. */
export interface Membership {
  readonly from: string | null;
  readonly company: string;
}

/** The company of a person on a day: that of the latest entry until the day, and `main` before the first one. */
export function companyOn(memberships: readonly Membership[], day: string): string {
  let found = { from: '', company: 'main' };
  for (const { from, company } of memberships)
    if ((from ?? '') <= day && (from ?? '') >= found.from) found = { from: from ?? '', company };
  return found.company;
}

/** What a person is owed by each company, in the smallest unit of a currency; negative where they owe. */
export class CompanyBalances {
  private readonly owed: Record<string, number> = {};

  add(company: string, amount: number): void {
    this.owed[company] = (this.owed[company] ?? 0) + amount;
  }

  of(company: string): number {
    return this.owed[company] ?? 0;
  }

  /**
   * A statement pays the lines of each company from it. What it keeps clears first the companies in which the person owes,
   * in the order of their codes, and then lowers what the present company pays.
   */
  pay(amount: number, present: string): Record<string, number> {
    const codes = Object.keys(this.owed).sort();
    const paid: Record<string, number> = {};
    let left = -amount;
    for (const code of codes) if (this.of(code) > 0) left += paid[code] = this.of(code);
    for (const code of codes) {
      const cleared = Math.max(0, Math.min(left, -this.of(code)));
      if (cleared > 0) paid[code] = -cleared;
      left -= cleared;
    }
    paid[present] = (paid[present] ?? 0) - left;
    for (const [code, part] of Object.entries(paid)) this.add(code, -part);
    return Object.fromEntries(Object.entries(paid).filter(([, part]) => part !== 0));
  }
}
