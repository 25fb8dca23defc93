import { expect } from 'chai';
import { type CreditRule, compileCreditRules, namedPeople } from '#src/engine/credit-rules.js';
import { type Fields, type FieldValue } from '#src/engine/field-value.js';

const ruleOf = (name: string, personField: string): CreditRule => ({
  name,
  kind: 'overlay',
  role: null,
  personField,
  percent: 100,
  conditions: [],
  effectiveStart: null,
  effectiveEnd: null,
});

function named(fields: Fields): string[] {
  const rules = compileCreditRules([ruleOf('B', 'engineer'), ruleOf('A', 'partner')], {}, 'UTC');
  return namedPeople(rules, { dealId: 'D', closeDate: '2026-01-10', fields, standard: {} });
}

describe('the people whom credit rules name on a deal', () => {
  it('are the values of their fields, in the order of the rules', () => {
    expect(named({ engineer: ' Ann ', partner: 77 })).to.deep.equal(['77', 'Ann']);
  });

  it('are none where a field is empty or holds no name', () => {
    const empty: readonly FieldValue[] = [null, '', '  ', true, []];
    for (const engineer of empty) expect(named({ engineer }), JSON.stringify(engineer)).to.deep.equal([]);
  });
});
