interface CountedQuota {
  readonly target: number;
  readonly credit: number;
  readonly attainment: number;
  readonly countsAtEnd?: number | undefined;
}

/** The quota as pages show it: until periodic rules count, its credit is what they have collected so far. */
export function withCollectedCredit<Quota extends CountedQuota>(quota: Quota): Quota {
  const { countsAtEnd: credit, target } = quota;
  return credit === undefined ? quota : { ...quota, credit, attainment: target === 0 ? 0 : credit / target };
}
