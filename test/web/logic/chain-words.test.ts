import { expect } from 'chai';
import { type Approval, type WaitingApproval } from '#web/api/approval-queries.js';
import {
  type ApprovalStep,
  describeChain,
  describeChanges,
  describeStep,
  describeUsual,
} from '#web/features/approvals/chain-words.js';
import { newStep, readSteps, signerChoicesOf, toEnteredSteps } from '#web/pages/settings/entered-steps.js';

const steps: ApprovalStep[] = [
  { name: 'Manager', by: { manager_of_rep: true }, minChange: 25, dueDays: 3, escalateTo: { role: 'admin' } },
  { name: 'Finance', by: { repIds: ['fay', 'max'] }, minPayable: 5000 },
  { name: 'Admin', by: { role: 'admin' } },
];
/** Numbers and their units are joined by a no-break space. */
const spaced = (text: string | null) => text?.replaceAll('\u00a0', ' ');
const nameOf = (id: string) => `${id.charAt(0).toUpperCase()}${id.slice(1)}`;

describe('chains of approval in words', () => {
  it('say how many signatures an amount needs, on both sides of a limit', () => {
    expect(spaced(describeChain(steps, 'USD', nameOf))).to.equal(
      '$4,999.99 needs 2 signatures; $5,000.00 needs 3 signatures: the manager of the rep, then Fay or Max, then an admin.',
    );
    expect(spaced(describeChain(steps.slice(2), 'USD', nameOf))).to.equal(
      'Every statement needs 1 signature: an admin.',
    );
    expect(describeChain([], 'USD', nameOf)).to.equal('One manager or admin approves a statement.');
  });

  it('say who signs a step, since when and until when', () => {
    const approval: Approval = {
      done: 1,
      of: 3,
      contentHash: 'x',
      next: {
        name: 'Finance',
        by: [
          { repId: 'fay', name: 'Fay' },
          { repId: 'max', name: 'Max' },
        ],
        since: '2026-02-03T10:00:00.000Z',
        due: '2026-02-06',
      },
      steps: [
        {
          name: 'Manager',
          status: 'signed',
          signedBy: { repId: 'max', name: 'Max' },
          onBehalfOf: { repId: 'mia', name: 'Mia' },
          signedAt: '2026-02-03T10:00:00.000Z',
          version: 1,
          carried: 10,
        },
        { name: 'Finance', status: 'next' },
        { name: 'Admin', status: 'waiting' },
      ],
    };
    expect(approval.steps.map((step) => spaced(describeStep(step, approval, '2026-02-05', 'USD')))).to.deep.equal([
      'Max for Mia, 3 Feb, +$10.00 since',
      'Fay or Max, for 2 days, due 6 Feb',
      'later',
    ]);
  });

  it('say what changed since the last signature, the total first', () => {
    const line = { eventId: 'e', dealId: 'D', dealName: 'Acme', ruleName: 'New', currency: 'USD' };
    const waiting = {
      currency: 'USD',
      amount: 5010,
      usual: 4000,
      changes: {
        version: 1,
        amount: 10,
        lines: [
          { ...line, before: 300, after: 310 },
          { ...line, dealName: 'Late', before: null, after: 20 },
          { ...line, dealName: 'Gone', before: 20, after: null },
        ],
        moreLines: 2,
      },
    } as unknown as WaitingApproval;
    expect(describeChanges(waiting)).to.equal(
      '+$10.00 since version 1: Acme $300.00 → $310.00; Late is new with $20.00; Gone with $20.00 is gone; and 2 more.',
    );
    expect(describeUsual(waiting)).to.equal('+$1,010.00 against the usual month');
    expect(describeChanges({ ...waiting, changes: null })).to.equal('First signature.');
  });

  it('are the same after the form', () => {
    expect(readSteps(toEnteredSteps(steps))).to.deep.equal(steps);
    const furtherSteps: ApprovalStep[] = [
      { name: 'Director', by: { level: 3 }, dueDays: 3, escalateTo: { repIds: ['fay', 'max'] } },
      { name: 'First', by: { level: 1 } },
      { name: 'Rep', by: { rep: true } },
    ];
    const entered = toEnteredSteps(furtherSteps);
    expect(readSteps(entered)).to.deep.equal(furtherSteps);
    expect(entered.map((step) => new Map(signerChoicesOf(step)).get('level'))).to.deep.equal([
      'the manager 2 levels higher',
      'the manager one level higher',
      'the manager one level higher',
    ]);
    expect(readSteps(entered.map((step) => ({ ...step, kind: 'admin', escalateTo: 'manager' })))?.[0]).to.deep.equal({
      ...furtherSteps[0],
      by: { role: 'admin' },
      escalateTo: { role: 'manager' },
    });
    expect(readSteps([newStep])).to.equal(null);
    expect(readSteps([{ ...newStep, name: 'X', kind: 'people' }])).to.equal(null);
    expect(readSteps([{ ...newStep, name: 'X', minPayable: 'much' }])).to.equal(null);
  });

  it('send nothing of a step that its signer hides, such as a limit of the consent of the rep', () => {
    const step = {
      ...newStep,
      name: 'Rep',
      minPayable: '5000',
      minChange: '25',
      dueDays: '3',
      escalateTo: 'admin',
    } as const;
    expect(
      readSteps([
        { ...step, kind: 'rep' },
        { ...step, kind: 'rep', minPayable: 'much' },
      ]),
    ).to.deep.equal([1, 2].map(() => ({ name: 'Rep', by: { rep: true }, minChange: 25, dueDays: 3 })));
    expect(readSteps([{ ...step, kind: 'admin' }])?.[0]).to.include({ minPayable: 5000 });
  });
});
