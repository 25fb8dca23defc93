interface Earned<Amounts> {
  readonly currency: string;
  readonly otherCurrencies: readonly ({ readonly currency: string } & Amounts)[];
}

interface WithSummary {
  readonly summary: object;
}

/**
 * The statement with the currency of the person first: that in which they earn, if it is only one. Currencies without an
 * amount are left out.
 */
export function withOwnCurrency<S extends WithSummary & Earned<WithSummary>>(statement: S): S {
  const others = statement.otherCurrencies.filter(({ summary }) => !isNothing(summary));
  const [own, ...rest] = others;
  if (own === undefined || !isNothing(statement.summary)) return { ...statement, otherCurrencies: others };
  return { ...statement, currency: own.currency, summary: own.summary, otherCurrencies: rest };
}

interface WithEarnings {
  readonly earnings: { readonly total: number };
}

interface Month {
  readonly total: number;
  readonly otherCurrencies?: readonly { readonly currency: string; readonly total: number }[] | undefined;
}

interface Dashboard extends WithEarnings, Earned<WithEarnings> {
  readonly trend: readonly Month[];
  readonly converted?: unknown;
}

/** The dashboard in the only currency in which the person earns, also in its earlier months. */
export function dashboardInOwnCurrency<D extends Dashboard>(dashboard: D): D {
  const { earnings, otherCurrencies, trend } = dashboard;
  const known = new Set([
    ...otherCurrencies.filter((other) => !isNothing(other.earnings)).map(({ currency }) => currency),
    ...trend.flatMap((month) => month.otherCurrencies ?? []).map(({ currency }) => currency),
  ]);
  const [own] = known;
  const isOnly = isNothing(earnings) && trend.every(({ total }) => total === 0) && known.size === 1;
  if (own === undefined || !isOnly) return dashboard;
  const zero = Object.fromEntries(Object.keys(earnings).map((name) => [name, 0]));
  const { converted: _, ...rest } = dashboard;
  return {
    ...rest,
    currency: own,
    earnings: otherCurrencies.find(({ currency }) => currency === own)?.earnings ?? zero,
    otherCurrencies: [],
    trend: trend.map(({ otherCurrencies: others = [], ...month }) => ({ ...month, total: others[0]?.total ?? 0 })),
  } as unknown as D;
}

function isNothing(amounts: object): boolean {
  return Object.values(amounts).every((amount) => amount === 0 || amount === undefined || amount === null);
}
