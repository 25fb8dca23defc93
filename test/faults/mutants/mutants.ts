/** A bug that could be written by mistake: one or more replacements in the sources. */
export interface Mutant {
  readonly name: string;
  /** One of these invariants must be violated. A harness that fails for another reason has not found the bug. */
  readonly breaks: readonly string[];
  /** The test that reproduces the bug step by step, where episodes do so too rarely. One of its tests must fail. */
  readonly steps?: string;
  /** Faults to prefer, as in FAULT_AIM. Without it, the faults of every episode suffice. */
  readonly aim?: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

const lane = 'src/ledger/lanes/calculate-lanes.ts';
const difference = 'src/ledger/output/apply-difference.ts';

/** Bugs that the harness must find. Each removes one of the measures that keep commission correct under faults. */
export const mutants: readonly Mutant[] = [
  {
    name: 'deletes calculation requests by rep instead of by id',
    breaks: ['I1', 'I7'],
    aim: 'lane.afterRequests=delay:60',
    changes: [
      {
        file: 'src/ledger/lanes/record-runs.ts',
        from: 'and request_id = any(',
        to: 'and 0 <> all(',
      },
    ],
  },
  {
    name: 'responds before the commit',
    // The invoice of a deal that was not stored is rejected.
    breaks: ['I6', 'I23', 'I32'],
    aim: 'change.beforeCommit=throw',
    changes: [
      {
        file: 'src/ledger/requests/commission-changes.ts',
        from: "await this.unitOfWork.run(caller, { lock, access: 'write' }, async (tx) => {",
        to: "await new Promise<T>((resolve, reject) => void this.unitOfWork.run(caller, { lock, access: 'write' }, async (tx) => {",
      },
      {
        file: 'src/ledger/requests/commission-changes.ts',
        from: "      await failpoint('change.beforeCommit');\n      return done;\n    });",
        to: "      resolve(done);\n      await failpoint('change.beforeCommit');\n      return done;\n    }).catch(reject));",
      },
    ],
  },
  {
    name: 'accepts older versions of a deal as newer ones',
    breaks: ['I23'],
    changes: [
      {
        file: 'src/deals/record-deals.ts',
        from: 'return reported !== null && stored !== null && reported.getTime() < stored.getTime();',
        to: 'return reported !== null && stored !== null && reported.getTime() < 0;',
      },
    ],
  },
  {
    name: 'calculates without locking the lane',
    breaks: ['I1', 'I2/I3', 'I7', 'I22'],
    aim: 'lane.afterRead=delay:60',
    changes: [
      {
        file: lane,
        from: '() => lockLanes(tx, repIds, { wait }),',
        to: '() => new Map(repIds.map((repId) => [repId, { repId, clearedAt: null, isComplete: true, hasFailed: false, mark: null }])),',
      },
    ],
  },
  {
    name: 'approves without locking the lane',
    breaks: ['I4', 'I13'],
    steps: 'test/statements/approval-lane.test',
    changes: [
      {
        file: 'src/statements/commands/approve-statement.ts',
        from: 'const repName = await lockRep(tx, key.repId);',
        to: "const repName = '';",
      },
      {
        // Removes the second check as well, which finds most pending calculations.
        file: 'src/statements/commands/approve-statement.ts',
        from: 'if (await isCalculationPending(tx, key)) return null;',
        to: '',
      },
    ],
  },
  {
    name: 'does not recalculate the previous owner',
    breaks: ['I1'],
    changes: [
      {
        file: 'src/deals/affected-reps.ts',
        from: 'if (before !== null) addPeople(affected, before);',
        to: '',
      },
      {
        file: 'src/deals/affected-reps.ts',
        from: 'before !== null && (before.repId !== after.repId || before.credits !== after.credits) ? [dealId]',
        to: 'false ? [dealId]',
      },
    ],
  },
  {
    name: 'locks other lanes in random order',
    // A deadlock fails one of its requests; with many of them a request gets no response within its time.
    breaks: ['40P01', 'I24'],
    changes: [
      {
        file: lane,
        from: "    await failpoint('lane.afterRequests');\n",
        to: "    await (await import('kysely')).sql`select from lanes order by random() for no key update`.execute(tx.db);\n",
      },
    ],
  },
  {
    name: 'has no sweep',
    breaks: ['I24'],
    changes: [
      {
        file: 'workers/lane-sweep.ts',
        from: "    await failpoint('sweep.afterPick');\n",
        to: '    rows.length = 0;\n',
      },
    ],
  },
  {
    name: 'writes no history of reversals',
    breaks: ['I2/I3'],
    changes: [{ file: difference, from: "recordHistory('reversed')}", to: 'sql`select 1`}' }],
  },
  {
    name: 'adds to quota counters instead of setting them',
    breaks: ['I2/I3'],
    changes: [
      {
        file: 'src/ledger/output/totals.ts',
        from: 'update quotas q set current_value = coalesce(c.credit, 0)',
        to: 'update quotas q set current_value = q.current_value + coalesce(c.credit, 0)',
      },
    ],
  },
  {
    name: 'refreshes the totals of the first lane of a batch only',
    breaks: ['I2/I3'],
    steps: 'test/ledger/lane-batches.test',
    changes: [
      {
        file: difference,
        from: 'refreshTotals(tx, unknown, hasTruedUp),\n    () => setTotals(tx, known, hasTruedUp),',
        to: 'refreshTotals(tx, unknown.slice(0, 1), hasTruedUp),\n    () => setTotals(tx, known.slice(0, 1), hasTruedUp),',
      },
    ],
  },
  {
    name: 'checks for frozen rows on the new day of a deal only',
    breaks: ['I1', 'I4', 'I13'],
    steps: 'test/statements/discrepancies/discrepancies.test',
    changes: [
      {
        file: 'src/ledger/input/ledger-rows.ts',
        from: 'indexed.filter(mayHoldKeysElsewhere)',
        to: 'indexed.filter(() => false)',
      },
      {
        // Removes the trigger as well, which rejects the write.
        file: 'migrations/013_statements.ts',
        from: 'if frozen is not null then',
        to: 'if frozen is not null and false then',
      },
    ],
  },
  {
    name: 'does not recalculate what another exchange rate converts',
    breaks: ['I1'],
    steps: 'test/rates/fx-rates/fx-rates.test',
    changes: [
      {
        file: 'src/rates/fx-rates/change-fx-rates.ts',
        from: 'requests.length === 0 ? null',
        to: 'requests.length >= 0 ? null',
      },
    ],
  },
  {
    name: 'does not recalculate managers',
    breaks: ['I1'],
    changes: [
      {
        file: 'src/ledger/requests/dependents.ts',
        from: 'await loadCascadeManagersAbove(tx, below);',
        to: 'new Map<string, string[]>();',
      },
    ],
  },
  {
    name: 'ignores the former counters of a moved row',
    breaks: ['I1', 'I2/I3'],
    steps: 'test/ledger/moved-deals.test',
    changes: [
      {
        file: difference,
        from: 'for (const row of displaced) addRemovedRow(affected[row.lane] as Affected, row);',
        to: '',
      },
    ],
  },
  {
    name: 'recalculates managers on the old day of a reversed deal only',
    breaks: ['I1'],
    steps: 'test/ledger/moved-deals.test',
    changes: [{ file: lane, from: '        ...(currentDays[index] ?? []),\n', to: '' }],
  },
  {
    name: 'does not bump cache versions after a calculation',
    breaks: ['I25'],
    changes: [
      {
        file: lane,
        from: '  tx.markAffected(inputs.map(({ terms }) => terms.repId));\n',
        to: '',
      },
    ],
  },
  {
    name: 'uses cached entries of any version',
    // Cached responses are stale, also what a statement and its batches pay; a calculation reads stale terms; or a
    // process with an empty cache corrects the ledger.
    breaks: ['I1', 'I8', 'I25', 'I32'],
    changes: [
      {
        file: 'src/platform/database/versioned-cache.ts',
        from: 'return entry?.revision === revision ? entry.value : null;',
        to: 'return entry?.value ?? null;',
      },
    ],
  },
  {
    name: 'does not record that a request with an idempotency key has written',
    breaks: ['I9'],
    aim: 'response.beforeStore=throw',
    changes: [
      {
        file: 'src/platform/database/unit-of-work.ts',
        from: 'for (const { beforeCommit } of hooks) await beforeCommit?.(tx, result);',
        to: '',
      },
    ],
  },
  {
    name: 'ends a job that still has work',
    breaks: ['I7', 'I8'],
    aim: 'lane.afterRead=delay:400',
    changes: [
      {
        file: 'src/ledger/requests/calculation-jobs.ts',
        from: '\n      and not exists (select from pending where parked_at is null)\n    returning',
        to: '\n    returning',
      },
    ],
  },
  {
    name: 'acknowledges a delivery before it is stored',
    breaks: ['I6', 'I23'],
    aim: 'inbox.beforeInsert=throw',
    changes: [
      {
        file: 'src/platform/inbox/inbox.ts',
        from: '    const { received, failures } = await this.deliveries.add(messages);\n    for (const failure of failures.values()) throw failure;\n    return received;\n',
        to: "    void this.deliveries.add(messages).catch(() => undefined);\n    return new Map(messages.map((one) => [one.route, ['']]));\n",
      },
    ],
  },
  {
    name: 'marks messages as processed before they are recorded',
    breaks: ['I6', 'I23'],
    aim: 'inbox.afterFetch=throw inbox.afterRecord=throw',
    changes: [
      {
        file: 'src/crm/deliveries/crm-inbox-handler.ts',
        from: "    await failpoint('inbox.afterFetch');\n",
        to: "    await this.unitOfWork.write(batch, (tx) => markProcessed(tx, batch, batch.messages, 'fetched'));\n    await failpoint('inbox.afterFetch');\n",
      },
    ],
  },
  {
    name: 'marks messages as processed that arrived after the fetch',
    breaks: ['I6', 'I23'],
    aim: 'inbox.afterFetch=delay:400',
    changes: [
      {
        file: 'src/platform/inbox/inbox-runner.ts',
        from: '\n      and message_key = any(',
        to: '\n      and gen_random_uuid() <> any(',
      },
    ],
  },
  {
    name: 'appends to the file of another worker',
    breaks: ['I7'],
    aim: 'export.afterPart=kill',
    changes: [{ file: 'workers/export-jobs.ts', from: 'if (!continues) await deleteParts(tx, job);', to: '' }],
  },
  {
    name: 'marks events as delivered before they are sent',
    breaks: ['I30'],
    changes: [
      {
        file: 'src/outgoing/events/delivery-store.ts',
        from: '    due.push({ deliveryId, url,',
        to: "    await tx.db.updateTable('webhook_deliveries').set({ status: 'delivered' }).where('delivery_id', '=', deliveryId).execute();\n    due.push({ deliveryId, url,",
      },
    ],
  },
  {
    name: 'sends an event before the receiver has accepted the one before of the same rep',
    breaks: ['I30'],
    changes: [
      {
        file: 'src/outgoing/events/delivery-store.ts',
        from: 'and d.sequence_id > head.sequence_id',
        to: 'and (d.sequence_id, d.position) > (head.sequence_id, head.position)',
      },
    ],
  },
  {
    name: 'does not check approved periods after a calculation',
    breaks: ['I27'],
    changes: [{ file: lane, from: '  requestChecks(tx, checked.flatMap(toPeriodChecks));\n', to: '' }],
  },
  {
    name: 'pays again what a paid batch contains',
    breaks: ['I32'],
    changes: [
      {
        file: 'src/pay/payables/statement-payouts.ts',
        from: "b.status <> 'cancelled'",
        to: "b.status = 'open'",
      },
    ],
  },
  {
    name: 'stores a refund and calculates nothing',
    breaks: ['I1'],
    steps: 'test/deals/refunds/clawbacks.test',
    changes: [
      {
        file: 'src/deals/refunds/change-refunds.ts',
        from: 'const requests = [...affected].map(',
        to: 'const requests = [...affected].slice(affected.size).map(',
      },
    ],
  },
  {
    name: 'tops up a guarantee that is never owed',
    breaks: ['I34'],
    changes: [
      {
        file: 'src/pay/payables/compute-draws.ts',
        from: 'return recoverable && (forgiveOn === null || forgiveOn > to);',
        to: 'return false;',
      },
    ],
  },
  {
    name: 'pays what is held',
    breaks: ['I33'],
    changes: [
      {
        file: 'src/pay/payables/release.ts',
        from: '(due.sign() > 0 && group !== undefined && isHeld(group, day))',
        to: 'false',
      },
    ],
  },
];
