import { readFileSync } from 'node:fs';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { expect } from 'chai';
import { operations } from '#src/operations.js';
import { type JsonSchema } from '#src/platform/json-schema.js';
import { readsPages } from '#src/platform/mcp/tool-arguments.js';
import { type OfferedTool, offeredTools, toExample } from '#src/platform/mcp/tool-definition.js';

/** The tools and the effect of each: R reads, W adds, D overwrites, i may be repeated. */
const planned: Readonly<Record<string, string>> = {
  get_workspace: 'R',
  list_fields: 'R',
  get_field_options: 'R',
  get_field_mapping: 'R',
  list_reps: 'R',
  list_deals: 'R',
  get_deal_credits: 'R',
  get_deal_lines: 'R',
  get_rate_table: 'R',
  list_rate_tables: 'R',
  look_up_rate: 'R',
  set_deal_credits: 'Di',
  list_plan_templates: 'R',
  list_plans: 'R',
  get_plan: 'R',
  get_plan_history: 'R',
  create_plan: 'W',
  update_plan: 'D',
  set_plan_status: 'Di',
  delete_plan: 'Di',
  list_plan_overrides: 'R',
  set_plan_override: 'Di',
  delete_plan_override: 'Di',
  list_assignments: 'R',
  create_assignments: 'W',
  update_assignment: 'Di',
  delete_assignment: 'Di',
  list_quotas: 'R',
  set_quota: 'Di',
  delete_quota: 'Di',
  list_absences: 'R',
  list_draws: 'R',
  create_draw: 'W',
  update_draw: 'Di',
  list_ramps: 'R',
  create_ramp: 'W',
  update_ramp: 'Di',
  set_absence: 'Di',
  list_fx_rates: 'R',
  set_fx_rates: 'Di',
  put_refund: 'Di',
  simulate_commissions: 'R',
  recalculate_commissions: 'Di',
  get_recalculation_job: 'R',
  get_commissions: 'R',
  get_forecast: 'R',
  get_pay_calendar: 'R',
  get_liability: 'R',
  get_contract_costs: 'R',
  preview_plan_change: 'R',
  run_plan_tests: 'R',
  list_audit_logs: 'R',
  list_change_requests: 'R',
  list_exceptions: 'R',
  set_people: 'Di',
  invite_people: 'W',
  list_disputes: 'R',
  open_dispute: 'W',
  list_discrepancies: 'R',
  resolve_discrepancy: 'D',
  list_payables: 'R',
  list_approvals: 'R',
  list_acceptances: 'R',
};

/** The reading tools whose lists the API returns only in full. */
const readWhole = [
  // Lists of one thing: a plan, a deal, a table, a person's draws.
  ...['get_plan_history', 'list_plan_overrides', 'get_deal_credits', 'get_deal_lines', 'get_rate_table'],
  // Settings, of which a workspace has tens.
  ...['get_workspace', 'list_fields', 'get_field_options', 'list_plan_templates', 'list_plans', 'list_rate_tables'],
  // Results of a calculation over everyone whom the call names.
  ...['simulate_commissions', 'get_forecast', 'preview_plan_change', 'list_exceptions'],
  // A list with a separate limit.
  'list_change_requests',
];

const offered = offeredTools(operations);
const definitions = offered.map(({ definition }) => definition);
const validators = new AjvJsonSchemaValidator();

/** The part of JSON Schema that the large model providers read. */
const keywords = new Set([
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'description',
  'default',
  'format',
  'pattern',
]);

/** The schema and those of its parts, each with its path. */
function valuesIn(schema: JsonSchema, path: string): (readonly [path: string, schema: JsonSchema])[] {
  const { properties = {}, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([name, property]) => valuesIn(property, `${path}.${name}`)),
    ...(items === undefined ? [] : valuesIn(items, `${path}[]`)),
  ];
}

describe('the definitions of the tools', () => {
  it('lists exactly the planned tools', () => {
    expect(definitions.map(({ name }) => name).sort()).to.deep.equal(Object.keys(planned).sort());
  });

  it('are all in the table of docs/agents.md', () => {
    const table = /\| Tools \((\d+)\) \| Use \|\n((?:\|.*\n)+)/.exec(readFileSync('docs/agents.md', 'utf8'));
    const listed = (table?.[2] ?? '')
      .split('\n')
      .flatMap((row) => row.split(' | ')[0]?.match(/[a-z]+(?:_[a-z]+)+/g) ?? []);
    expect(listed.sort()).to.deep.equal(Object.keys(planned).sort());
    expect(Number(table?.[1])).to.equal(listed.length);
  });

  it('begin with get_workspace', () => {
    expect(definitions[0]?.name).to.equal('get_workspace');
  });

  it('read only the page that they return, unless the API returns the list in full', () => {
    const lists = offered.filter(
      ({ tool }) => tool.hints.readOnlyHint && (tool.list ?? tool.listsWithin) !== undefined,
    );
    const whole = lists.filter(({ operation }) => !readsPages(operation)).map(({ tool }) => tool.name);
    expect(whole.sort()).to.deep.equal([...readWhole].sort());
  });

  for (const [who, isListed, tokens] of [
    ['an admin', () => true, 16_000],
    ['an agent that may only read', ({ tool }) => tool.hints.readOnlyHint, 7_500],
  ] as readonly (readonly [string, (one: OfferedTool) => boolean, number])[])
    it(`use at most ${tokens} tokens for ${who}, at four characters each`, () => {
      const tools = offered.filter(isListed).map(({ definition }) => definition);
      expect(JSON.stringify({ tools }).length / 4).to.be.at.most(tokens);
    });

  for (const { definition, operation, tool } of offered) {
    const { name, description, annotations, inputSchema } = definition;

    it(`${name} describes purpose, use, alternatives and changes, and has an example that its schema accepts`, () => {
      const lines = description.split('\n').filter((line) => !line.startsWith('Formats: '));
      expect(lines.map((line) => line.split(' ')[0])).to.deep.equal([
        lines[0]?.split(' ')[0],
        'Use',
        'Not',
        'Changes:',
        'Example:',
      ]);
      expect(description.length).to.be.lessThan(1500);
      const validate = validators.getValidator(inputSchema as Parameters<typeof validators.getValidator>[0]);
      const { valid, errorMessage } = validate(toExample(operation, tool));
      expect(valid, errorMessage).to.equal(true);
    });

    it(`${name} sets all four hints according to its effect`, () => {
      const effect = planned[name] as string;
      expect(annotations).to.deep.equal({
        readOnlyHint: effect === 'R',
        destructiveHint: effect.startsWith('D'),
        idempotentHint: effect === 'R' || effect.endsWith('i'),
        openWorldHint: false,
      });
      expect(annotations.readOnlyHint).to.equal(
        operation.method === 'get' || (operation.method === 'post' && operation.scope === 'read'),
      );
    });

    it(`${name} describes its input in the keywords that strict clients read, and every value has one type`, () => {
      for (const [path, schema] of valuesIn(inputSchema, name)) {
        expect(
          Object.keys(schema).filter((keyword) => !keywords.has(keyword)),
          path,
        ).to.deep.equal([]);
        expect(schema['type'], path).to.be.a('string');
        if ('enum' in schema) expect(schema['type'], path).to.equal('string');
      }
    });

    it(`${name} describes every argument`, () => {
      const properties = Object.values(inputSchema['properties'] as Record<string, { description?: string }>);
      expect(properties.filter((property) => (property.description ?? '').length < 5)).to.deep.equal([]);
    });

    it(`${name} refers only to existing tools`, () => {
      const named = description.match(/\b(?:get|list|set|create|update|delete|simulate|recalculate)_[a-z_]+\b/g) ?? [];
      expect(named.filter((one) => !(one in planned))).to.deep.equal([]);
    });
  }
});
