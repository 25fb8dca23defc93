import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { describeService } from '#src/app/describe-service.js';
import { describedPlanConfig } from '#src/engine/plan-config.js';
import { planTemplates } from '#src/plans/templates-catalog.js';
import { toJsonSchema } from '#src/platform/json-schema.js';
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

  describe('has the default and the example that the OpenAPI document has for every field:', () => {
    const document: Schema = describeService();
    const schemas = document.components.schemas;
    const plan = document.paths['/v1/plans'].post.requestBody.content['application/json'].schema;
    const rule = schemas.PlanConfig.properties.rules.items;
    const [condition, group] = rule.properties.conditions.items.anyOf;
    const sections: Readonly<Record<string, readonly Schema[]>> = {
      'The plan': [plan],
      'The config': [schemas.PlanConfig],
      'A rule': [rule, rule.properties.quotaCredit.items],
      'A tier': [rule.properties.tiers.items],
      Conditions: [condition, group],
    };

    it('the config of a plan is the described schema in requests and responses', () => {
      const reference = [{ $ref: '#/components/schemas/PlanConfig' }];
      const version = schemas.PlanVersion.properties;
      for (const { config } of [plan.properties, version, schemas.PlanTemplate.properties.planConfig.properties])
        expect(config.allOf).to.deep.equal(reference);
    });

    for (const [heading, described] of Object.entries(sections))
      it(heading, () => {
        for (const { field, standard, example } of fieldRows(heading)) {
          const schema = described.find(({ properties }) => field in properties);
          const property = schema?.properties[field];
          expect(property?.description, field).to.be.a('string');
          expect(schema.required?.includes(field) ?? false, `${field} required`).to.equal(
            standard.startsWith('required') && !/then|unless/.test(standard),
          );
          const preset = property['x-default'];
          if (preset !== undefined) expect(standard, field).to.equal(`\`${preset}\``);
          else if (standard.startsWith('`'))
            expect(property.description, field).to.include(standard.replaceAll('`', ''));
          const isContainer = 'allOf' in property || (property.type === 'array' && field !== 'quotaCredit');
          if (!isContainer) expect(JSON.parse(example.replaceAll('`', '')), field).to.deep.equal(property.example);
        }
      });
  });

  describe('has a row for every field of the plan config schema, and no row for any other field:', () => {
    const config: Schema = toJsonSchema(describedPlanConfig, 'input');
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
        expect([...new Set(fieldRows(heading).map(({ field }) => field))].sort()).to.deep.equal(
          [...new Set(fields)].sort(),
        );
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

interface FieldRow {
  readonly field: string;
  /** The cell of the column Default. */
  readonly standard: string;
  readonly example: string;
}

/** The rows of the tables of the section whose header begins with `Field`. */
function fieldRows(heading: string): FieldRow[] {
  const page = readFileSync(file, 'utf8');
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const tables = section
    .trim()
    .split(/\n\n+/)
    .filter((block) => block.startsWith('| Field |'));
  return tables.flatMap((block) =>
    [...block.matchAll(/^\| `(\w+)`.*$/gm)].map(([row, field = '']) => {
      const [standard = '', example = ''] = row.split('|').slice(-3, -1);
      return { field, standard: standard.trim(), example: example.trim() };
    }),
  );
}
