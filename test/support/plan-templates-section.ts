import { type PlanTemplate } from '#src/plans/templates.js';

type Example = PlanTemplate['workedExample'];
type Deal = Example['deals'][number];

/** The Markdown of docs/plans.md between its `templates` markers: one subsection for each template. */
export function templatesSection(templates: readonly PlanTemplate[]): string {
  return `\n${templates.map(subsection).join('\n\n')}\n`;
}

function subsection({ templateId, name, description, tables = [], planConfig, workedExample }: PlanTemplate): string {
  const [sentence = '', ...rest] = description.split(/(?<=\.) (?=[A-Z])/);
  return [
    `### ${name}`,
    `"${sentence}"`,
    ['Template:', `\`${templateId}\`.`, ...rest].join(' '),
    ...tables.map(({ name: table, ...content }) => `Rate table ${table}:\n\n${jsonBlock(content)}`),
    jsonBlock({ config: planConfig.config }),
    prerequisites(workedExample),
    table(workedExample),
    workedExample.note,
  ].join('\n\n');
}

function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${formatJson(value)}\n\`\`\``;
}

function prerequisites({ quotas, assignment }: Example): string {
  const targets = quotas.map(({ measure, period, target, variableTarget }) => {
    const variable = variableTarget === undefined ? '' : ` with a variable target of ${money(variableTarget)}`;
    return `${money(target)} for ${measure} in ${period}${variable}`;
  });
  const days = assignment === undefined ? '' : ` ${describeAssignment(assignment)}`;
  return `Worked example. ${targets.length === 0 ? 'No quota.' : `Quota: ${targets.join('; ')}.`}${days}`;
}

function describeAssignment({ effectiveStart, effectiveEnd, ramp }: NonNullable<Example['assignment']>): string {
  const steps = (ramp?.steps ?? []).map(({ months, quotaPercent }) => `${months} month at ${quotaPercent} %`);
  return `Assigned from ${effectiveStart} to ${effectiveEnd}${steps.length === 0 ? '' : `, with a ramp of ${steps.join(', then ')}`}.`;
}

function table({ deals, expected }: Example): string {
  const dealIds = new Set(deals.map(({ dealId }) => dealId));
  const rows = deals.flatMap((deal) => {
    const cells = [deal.dealId, deal.closeDate, formatValues(deal)];
    const events = expected.filter(({ dealId }) => dealId === deal.dealId);
    return events.length === 0 ? [row(cells)] : events.map((event) => row(cells, event));
  });
  const periodic = expected.filter(({ dealId }) => !dealIds.has(dealId));
  return [
    '| Deal | Closed | Values | Rule | Tier | Paid to | Pays |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    ...periodic.map((event) => row([event.dealId, 'end of the period', ''], event)),
  ].join('\n');
}

function row(deal: readonly string[], event?: Example['expected'][number]): string {
  const paid =
    event === undefined
      ? ['', '', '', '']
      : [event.ruleName, event.tierName ?? 'none', event.earnedBy, money(event.amount)];
  return `| ${[...deal, ...paid].join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |');
}

function formatValues({ amount, stage, fields = {}, credits = [], lines = [] }: Deal): string {
  const values = { ...(amount === undefined ? {} : { amount }), ...(stage === undefined ? {} : { stage }), ...fields };
  return [
    ...Object.entries(values).map(([name, value]) => `${name} ${typeof value === 'number' ? money(value) : value}`),
    ...credits.map(({ kind, role, percent }) => `${kind} of ${percent} % as ${role}`),
    ...lines.map(describeLine),
  ].join(', ');
}

function describeLine({ family, productCode, quantity, amount }: NonNullable<Deal['lines']>[number]): string {
  const units = quantity == null ? '' : `${quantity} of `;
  return `${units}${productCode ?? family} for ${money(Number(amount))}`;
}

function money(amount: number): string {
  return amount.toLocaleString('en-US');
}

/** JSON with two spaces of indentation, in which every value that fits on a line of 110 characters takes one line. */
function formatJson(value: unknown, indent = ''): string {
  const line = oneLine(value);
  if (typeof value !== 'object' || value === null || line.length + indent.length <= 110) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => formatJson(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${formatJson(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Object.keys(value).length === 0) return '{}';
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`)
    .join(', ')} }`;
}
