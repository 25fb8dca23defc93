import { expect } from 'chai';
import { readPlanFile } from '#src/app/commands/plan-file.js';
import { FileError, formatFile, listChanges } from '#src/app/commands/yaml-file.js';
import { flatRule } from '#test/support/terms.js';

const rule = (rate: number, name = 'Commission') => flatRule(name, rate);

describe('the text of a plan file', () => {
  const plan = { name: 'Sales', status: 'active', config: { rules: [rule(0.1), rule(0.2, 'Other')] } };

  it('does not depend on the order of the keys, and is read as the same plan', () => {
    const reversed = JSON.parse(JSON.stringify(plan), (_, value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    );
    for (const isJson of [false, true]) {
      const text = formatFile(plan, isJson, null);
      expect(formatFile(reversed, isJson, null)).to.equal(text);
      expect(readPlanFile(text, 'plan')).to.deep.equal(plan);
    }
  });

  it('keeps comments, order and spelling of an existing file where nothing differs', () => {
    const written = `# Agreed on in January
name: Sales
status: "active" # quoted
config:
  rules:
    # Half of it is a draw
    - measure: amount
      name: Commission
      tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.10 }] # ten percent
    - name: Other
      measure: amount
      tiers:
        - tierIndex: 0
          minThreshold: 0
          rate: 0.2
`;
    expect(formatFile(plan, false, written)).to.equal(written);
    const changed = { ...plan, currency: 'EUR', config: { rules: [rule(0.3, 'Other'), rule(0.1)] } };
    const text = formatFile(changed, false, written);
    expect(readPlanFile(text, 'plan')).to.deep.equal(changed);
    expect(text).to.include('# Agreed on in January').and.include('# quoted').and.include('# Half of it is a draw');
    expect(text).to.match(/rate: 0\.10 }\s*\] # ten percent/);
    expect(formatFile(changed, false, text)).to.equal(text);
  });

  it('is rejected with the place of the mistake', () => {
    const messageOf = (text: string) => {
      try {
        readPlanFile(text, 'a.yaml');
        return 'no error';
      } catch (error) {
        expect(error).to.be.instanceOf(FileError);
        return (error as Error).message;
      }
    };
    expect(messageOf('name: [')).to.match(/^a\.yaml: .* line 1/s);
    expect(messageOf('name: x')).to.include('config:');
    expect(messageOf('name: x\nconfig: {}\nconfigg: {}')).to.include('configg');
    expect(messageOf('name: x\nname: y\nconfig: {}')).to.match(/unique/i);
  });

  it('differs at the deepest place, where lists with names are compared by name', () => {
    const after = { ...plan, config: { rules: [rule(0.2, 'Other'), rule(0.15)] } };
    expect(listChanges(plan, after)).to.deep.equal([
      { path: 'config.rules[Commission].tiers[0].rate', before: 0.1, after: 0.15 },
    ]);
  });
});
