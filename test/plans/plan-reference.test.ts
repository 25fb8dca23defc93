import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { describedPlanConfig } from '#src/engine/plan-config.js';
import { planTemplates } from '#src/plans/templates-catalog.js';
import { jsonSchemaOf } from '#src/platform/json-schema.js';
import { templatesSection } from '#test/support/plan-templates-section.js';

// biome-ignore lint/suspicious/noExplicitAny: nodes of a JSON schema
type Schema = any;

const file = new URL('../../../docs/plans.md', import.meta.url);
const markers = ['<!-- templates -->', '<!-- /templates -->'] as const;

describe('docs/plans.md, the plan reference', () => {
  it('shows every template with its sentence, body and worked example (UPDATE=1 rewrites the section)', () => {
    const page = readFileSync(file, 'utf8');
    const [before = '', rest = ''] = page.split(markers[0]);
    const [current, after] = rest.split(markers[1]);
    const expected = templatesSection(planTemplates);
    if (process.env['UPDATE'] === '1')
      writeFileSync(file, [before, markers[0], '\n', expected, markers[1], after].join(''));
    else expect(current).to.equal(`\n${expected}`);
  });

  describe('has a row for every field of the plan config schema, and no row for any other field:', () => {
    const config: Schema = jsonSchemaOf(describedPlanConfig, 'input');
    const rule = config.properties.rules.items;
    const tier = rule.properties.tiers.items;
    const [condition, group] = rule.properties.conditions.items.anyOf;
    const credit = rule.properties.quotaCredit.items;
    const sections: Readonly<Record<string, readonly Schema[]>> = {
      'The config': [config],
      'A rule': [rule, credit],
      'A tier': [tier],
      Conditions: [condition, group],
    };
    for (const [heading, schemas] of Object.entries(sections)) {
      it(heading, () => {
        const fields = schemas.flatMap((schema) => Object.keys(schema.properties));
        expect([...fieldRows(heading)].sort()).to.deep.equal([...new Set(fields)].sort());
      });
    }

    it('names every value of a field that has a list of values', () => {
      const page = readFileSync(file, 'utf8');
      const choices = [rule, tier, condition, group].flatMap((schema) =>
        Object.values<Schema>(schema.properties).flatMap((property) => property.enum ?? []),
      );
      expect(choices).to.include.members(['retroactive', 'stepped_bonus', 'in_last_n_days', 'checkbox', 'or']);
      expect(
        choices.filter((choice) => !page.includes(`\`${choice}\``) && !page.includes(`"${choice}"`)),
      ).to.deep.equal([]);
    });
  });
});

/** The first cells of the tables of the section whose header begins with `Field`. */
function fieldRows(heading: string): Set<string> {
  const page = readFileSync(file, 'utf8');
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const tables = section
    .trim()
    .split(/\n\n+/)
    .filter((block) => block.startsWith('| Field |'));
  return new Set(tables.flatMap((block) => [...block.matchAll(/^\| `(\w+)`/gm)].map(([, field]) => field as string)));
}
