/** A bug as it could be written by mistake: one or more replacements in the sources. */
export interface Mutant {
  readonly name: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

const lane = 'src/ledger/calculate-lane.ts';
const difference = 'src/ledger/apply-difference.ts';

/** Bugs that the episodes must find: each takes away one of the measures that keep pay right under faults. */
export const mutants: readonly Mutant[] = [
  {
    name: 'requests are taken away by rep and not by id',
    changes: [
      {
        file: lane,
        from: 'and request_id = any(',
        to: 'and 0 <> all(',
      },
    ],
  },
  {
    name: 'answers before it knows of the commit',
    changes: [
      {
        file: 'src/ledger/commission-changes.ts',
        from: 'await this.unitOfWork.run(caller, lock, async (trx) => {',
        to: 'await new Promise<T>((answer, refuse) => void this.unitOfWork.run(caller, lock, async (trx) => {',
      },
      {
        file: 'src/ledger/commission-changes.ts',
        from: "      await failpoint('change.beforeCommit');\n      return done;\n    });",
        to: "      answer(done);\n      await failpoint('change.beforeCommit');\n      return done;\n    }).catch(refuse));",
      },
    ],
  },
  {
    name: 'takes older news for newer ones',
    changes: [
      {
        file: 'src/deals/record-deals.ts',
        from: 'return told !== null && known !== null && told.getTime() < known.getTime();',
        to: 'return told !== null && known !== null && told.getTime() < 0;',
      },
    ],
  },
  {
    name: 'calculates without the lane',
    changes: [
      {
        file: lane,
        from: '    .forNoKeyUpdate();\n  const row = await (wait ? query : query.skipLocked()).executeTakeFirst();',
        to: '  ;\n  const row = await (wait ? query : query).executeTakeFirst();',
      },
    ],
  },
  {
    name: 'approves without the lane',
    changes: [
      {
        file: 'src/statements/commands/approve-statement.ts',
        from: 'const repName = await lockRep(trx, key.workspaceId, key.repId);',
        to: "const repName = '';",
      },
    ],
  },
  {
    name: 'forgets the owner before',
    changes: [
      {
        file: 'src/deals/touched-reps.ts',
        from: 'if (before !== null) touch(touched, before.repId, before.closeDate);',
        to: '',
      },
      {
        file: 'src/deals/touched-reps.ts',
        from: 'before !== null && before.repId !== after.repId);',
        to: 'false);',
      },
    ],
  },
  {
    name: 'locks more lanes than its own, in any order',
    changes: [
      {
        file: lane,
        from: "    await failpoint('lane.afterLock');\n",
        to: '    await sql`select from lanes order by random() for no key update`.execute(trx);\n',
      },
    ],
  },
  {
    name: 'leaves everything to the wake-up, and has no sweep',
    changes: [
      {
        file: 'workers/sweep.ts',
        from: "    await failpoint('sweep.afterPick');\n",
        to: '    rows.length = 0;\n',
      },
    ],
  },
  {
    name: 'keeps no history of reversals',
    changes: [{ file: difference, from: "recordHistory('reversed')}", to: 'sql`select 1`}' }],
  },
  {
    name: 'adds to quota counters instead of setting them',
    changes: [
      {
        file: difference,
        from: 'update quotas q set current_value = coalesce(c.credit, 0)',
        to: 'update quotas q set current_value = q.current_value + coalesce(c.credit, 0)',
      },
    ],
  },
  {
    name: 'looks for frozen rows on the new day of a deal alone',
    changes: [
      {
        file: 'src/ledger/standing-rows.ts',
        from: 'if (outside.length === 0) return rows;',
        to: 'if (outside.length >= 0) return rows;',
      },
      {
        // Without the second line behind it, which would refuse the write.
        file: 'migrations/2026_11_21_03_statements.ts',
        from: 'if frozen is not null then',
        to: 'if frozen is not null and false then',
      },
    ],
  },
  {
    name: 'asks no managers',
    changes: [
      {
        file: lane,
        from: 'await cascadeManagersAbove(trx, terms.workspaceId, terms.repId, range);',
        to: '[] as string[];',
      },
    ],
  },
  {
    name: 'forgets where a row stood that it has taken up',
    changes: [{ file: difference, from: '    ...displaced,\n    ...reversals,\n  ];', to: '    ...reversals,\n  ];' }],
  },
  {
    name: 'asks managers for the old day of a reversed deal alone',
    changes: [
      { file: lane, from: '    ...(await currentDaysOf(trx, terms.workspaceId, difference.reversedKeys)),\n', to: '' },
    ],
  },
  {
    name: 'does not note that a request with a key has written',
    changes: [
      {
        file: 'src/platform/database/unit-of-work.ts',
        from: 'if (noting?.caller === caller) await noting.note(trx);',
        to: '',
      },
    ],
  },
  {
    name: 'ends a job that still has work',
    changes: [
      {
        file: 'src/ledger/calculation-jobs.ts',
        from: "and jobs.status = 'running' and pending.working = 0`",
        to: "and jobs.status = 'running'`",
      },
    ],
  },
];
