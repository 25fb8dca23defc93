import { expect } from 'chai';
import { type Plan } from '#web/api/queries.js';
import {
  carriedTerms,
  editedVersion,
  hasSeveralDays,
  isRate,
  laterVersions,
  ownTerms,
  storedTiers,
  timelineWords,
  toTerms,
} from '#web/features/plans/versions.js';
import { plan } from './samples.js';

const stretch = (version: number, from: string | null = null, to: string | null = null) => ({
  planVersionId: `v${version}`,
  version,
  from,
  to,
});
const versionOf = (version: number, versionStatus: Plan['versionStatus'], more: Partial<Plan> = {}) =>
  plan('AE', [{ name: 'New' }], {
    planVersionId: `v${version}`,
    version,
    versionStatus,
    timeline: [],
    inForce: null,
    ...more,
  });
/** Newest first; the response of the newest says what is in force. */
const history = (inForce: number | null, ...versions: readonly Plan[]) =>
  versions.map((one) => ({
    ...one,
    inForce: inForce === null ? null : stretch(inForce),
    timeline: inForce === null ? [] : [stretch(inForce)],
  })) as Plan[];

describe('the version that a change begins with', () => {
  const edited = (versions: readonly Plan[]) => editedVersion(versions)?.version;

  it('is the one in force, although a later one was withdrawn or has not begun', () => {
    expect(edited(history(2, versionOf(3, 'archived'), versionOf(2, 'active'), versionOf(1, 'active')))).to.equal(2);
    expect(edited(history(2, versionOf(3, 'active'), versionOf(2, 'active')))).to.equal(2);
  });

  it('is a newer draft, but not an older one', () => {
    expect(edited(history(2, versionOf(3, 'draft'), versionOf(2, 'active')))).to.equal(3);
    expect(edited(history(3, versionOf(3, 'active'), versionOf(2, 'draft')))).to.equal(3);
  });

  it('is the next one to start, or the newest, where none is in force', () => {
    const next = versionOf(2, 'active', { timeline: [stretch(1, '2030-01-01')] } as Partial<Plan>);
    expect(edited([next, versionOf(1, 'active')])).to.equal(1);
    expect(edited(history(null, versionOf(2, 'archived'), versionOf(1, 'archived')))).to.equal(2);
    expect(edited([])).to.equal(undefined);
  });
});

describe('the timeline in words', () => {
  it('names each version with its days', () => {
    expect(timelineWords([stretch(1, null, '2026-11-30'), stretch(3, '2026-12-01')])).to.match(
      /^In force: version 1 to .*30.*, then version 3 from .*1.*\.$/,
    );
    expect(timelineWords([stretch(1)])).to.equal('In force: version 1 on every day.');
  });

  it('says that nothing is earned where no version is in force', () => {
    expect(timelineWords([])).to.equal('No version is in force: nothing new is earned under the plan.');
  });
});

describe('terms of one person', () => {
  const tiers = [
    { tierIndex: 0, minThreshold: 0, rate: 0.08 },
    { tierIndex: 1, minThreshold: 1, rate: 0.1 },
  ];
  const from = plan('AE', [{ name: 'New', tiers }]);
  const own = [
    { tierIndex: 0, rate: 0.2 },
    { tierIndex: 1, rate: 0.3 },
  ];
  const always = { tables: [], from: '', to: '' };

  it('are stored as rates or amounts, without empty values', () => {
    expect(ownTerms(from, { ...always, values: { 'new 0': 0.2, 'new 1': undefined } })).to.deep.equal([
      { ruleId: 'new', tiers: [{ tierIndex: 0, rate: 0.2 }] },
    ]);
    const fixed = plan('Bonus', [{ name: 'New', tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 5 }] }]);
    expect(ownTerms(fixed, { ...always, values: { 'new 0': 7 }, from: '2026-11-01' })).to.deep.equal([
      { ruleId: 'new', tiers: [{ tierIndex: 0, flatAmount: 7, from: '2026-11-01' }] },
    ]);
    expect(ownTerms(from, { ...always, values: {} })).to.deep.equal([]);
  });

  it('are carried to the tiers that a later version has unchanged, and what is lost is named', () => {
    const terms = [{ ruleId: 'new', tiers: own }];
    expect(carriedTerms(from, plan('AE', [{ name: 'New', tiers }]), terms)).to.deep.equal({ rules: terms, lost: [] });
    const moved = plan('AE', [
      { name: 'New', tiers: [tiers[0] as never, { tierIndex: 1, minThreshold: 1.2, rate: 0.1 }] },
    ]);
    expect(carriedTerms(from, moved, terms)).to.deep.equal({
      rules: [{ ruleId: 'new', tiers: [own[0]] }],
      lost: ['New'],
    });
    expect(carriedTerms(from, plan('AE', [{ name: 'Other' }]), terms)).to.deep.equal({ rules: [], lost: ['New'] });
  });

  const byTable = plan('AE', [{ name: 'New', tiers: [{ tierIndex: 0, minThreshold: 0, table: 'Partners' }] }]);

  it('are rates on a tier with a rate table, and not carried to a tier that pays otherwise', () => {
    const terms = ownTerms(byTable, { ...always, values: { 'new 0': 0.12 } });
    expect(terms).to.deep.equal([{ ruleId: 'new', tiers: [{ tierIndex: 0, rate: 0.12 }] }]);
    const fixed = plan('AE', [{ name: 'New', tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 5 }] }]);
    expect(carriedTerms(byTable, fixed, terms)).to.deep.equal({ rules: [], lost: ['New'] });
    expect(carriedTerms(byTable, byTable, terms)).to.deep.equal({ rules: terms, lost: [] });
  });

  it('keep the kind that is stored, whatever the plan pays', () => {
    const stored = storedTiers({
      rules: [{ ruleId: 'new', ruleName: 'New', tiers: [{ tierIndex: 0, minThreshold: 0, flatAmount: 500 }] }],
    });
    const changed = { ...toTerms(stored), values: { 'new 0': 600, 'new 1': 0.2 } };
    expect(ownTerms(from, changed, stored)[0]?.tiers).to.deep.equal([
      { tierIndex: 0, flatAmount: 600 },
      { tierIndex: 1, rate: 0.2 },
    ]);
    expect(tiers.map((tier, index) => isRate(tier, stored[`new ${index}`]))).to.deep.equal([false, true]);
  });

  it('keep the rate table and the days of each tier when something else is changed', () => {
    const kept = [
      { tierIndex: 0, table: 'Partners', column: 'own', from: '2026-01-01', to: '2026-06-30' },
      { tierIndex: 1, rate: 0.3, from: '2026-07-01' },
    ];
    const ofRule = kept.map((tier) => ({ ...tier, minThreshold: tier.tierIndex }));
    const stored = storedTiers({ rules: [{ ruleId: 'new', ruleName: 'New', tiers: ofRule }] });
    const shown = toTerms(stored);
    expect(hasSeveralDays(stored)).to.equal(true);
    expect(ownTerms(from, shown, stored)).to.deep.equal([{ ruleId: 'new', tiers: kept }]);
    expect(ownTerms(from, { ...shown, values: { 'new 1': 0.4 } }, stored)[0]?.tiers).to.deep.equal([
      kept[0],
      { ...kept[1], rate: 0.4 },
    ]);
    expect(ownTerms(from, { ...shown, tables: [] }, stored)[0]?.tiers).to.deep.equal([kept[1]]);
    expect(ownTerms(from, { ...shown, to: '2026-12-31' }, stored)[0]?.tiers).to.deep.equal([
      { ...kept[0], to: '2026-12-31' },
      { ...kept[1], to: '2026-12-31' },
    ]);
  });

  it('concern drafts and versions that start later, and none that was withdrawn', () => {
    const december = versionOf(3, 'active', { effectiveStart: '2026-12-01' });
    const all = [
      versionOf(5, 'archived'),
      versionOf(4, 'draft'),
      december,
      versionOf(2, 'active'),
      versionOf(1, 'active'),
    ];
    expect(laterVersions(all, versionOf(2, 'active')).map(({ version }) => version)).to.deep.equal([3, 4]);
    expect(laterVersions([versionOf(2, 'active'), december], december)).to.deep.equal([]);
  });
});
