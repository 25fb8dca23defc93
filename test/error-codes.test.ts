import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { errorExplanations } from '#src/app/error-explanations.js';
import { operations } from '#src/operations.js';
import { type AnyOperation, commonFailures } from '#src/platform/operations/operation.js';
import { Service } from '#test/support/service.js';

const file = new URL('../../docs/errors.md', import.meta.url);
const markers = ['<!-- codes -->', '<!-- /codes -->'] as const;
const all: readonly AnyOperation[] = operations;

/** Operations that declare a code besides the common ones, by code. */
const declaredBy = new Map<string, AnyOperation[]>();
for (const operation of all)
  for (const code of Object.keys(operation.failures))
    declaredBy.set(code, [...(declaredBy.get(code) ?? []), operation]);

const common = Object.keys(commonFailures);
const special = [...declaredBy.keys()].filter((code) => !(code in commonFailures)).sort();

function statuses(code: string): number[] {
  const declared = (declaredBy.get(code) ?? []).map(({ failures }) => failures[code] as number);
  return [...new Set([commonFailures[code] ?? declared, declared].flat())].sort();
}

/** A heading for each code, because headings have an anchor wherever Markdown is shown. */
function section(code: string): string {
  const operationsOf = code in commonFailures ? [] : (declaredBy.get(code) ?? []);
  const names = operationsOf.map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``).sort();
  const shown = names.slice(0, 5).join(', ');
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  const from = names.length === 0 ? '' : `\n\nFrom ${shown}${more}.`;
  return `### ${code}\n\n**${statuses(code).join(', ')}** · ${errorExplanations[code]}${from}\n`;
}

const generated = `\n## Codes of every operation\n\n${common.map(section).join('\n')}
## Codes of single operations\n\n${special.map(section).join('\n')}`;

describe('docs/errors.md, the error codes', () => {
  const service = Service.duringSuite();

  it('has the status, the meaning and the operations of every code (UPDATE=1 rewrites the list)', () => {
    const page = readFileSync(file, 'utf8');
    const [before = '', rest = ''] = page.split(markers[0]);
    const [current, after] = rest.split(markers[1]);
    if (process.env['UPDATE'] === '1')
      writeFileSync(file, [before, markers[0], '\n', generated, markers[1], after].join(''));
    else expect(current).to.equal(`\n${generated}`);
  });

  it('explains every code that the service can return, and no other', () => {
    expect(Object.keys(errorExplanations).sort()).to.deep.equal([...common, ...special].sort());
  });

  it('is where the link of every error leads', async () => {
    const page = await (await fetch(`${service.url}/docs/errors`)).text();
    for (const code of [...common, ...special]) expect(page).to.include(` id="${code.toLowerCase()}"`);
  });

  it('is named by errors of operations, of unknown paths and of requests that cannot be read', async () => {
    const { api } = await service.workspace({ name: 'Acme' });
    for (const [path, code] of [
      [`/v1/plans/${crypto.randomUUID()}`, 'plan_not_found'],
      ['/v1/plans?limit=many', 'VALIDATION_FAILED'],
      ['/v1/unknown', 'not_found'],
      [`/v1/plans?q=${'a'.repeat(20_000)}`, 'headers_too_large'],
    ] as const) {
      const { body } = await api.get(path);
      expect([body.code, body.docs]).to.deep.equal([code, `/docs/errors#${code.toLowerCase()}`]);
    }
  });

  it('is named with PUBLIC_URL where it is set', async () => {
    const announced = await Service.start({ settings: { PUBLIC_URL: 'https://pay.acme.com/commissions' } });
    try {
      const { body } = await announced.client(null).get('/v1/plans');
      expect(body.docs).to.equal('https://pay.acme.com/commissions/docs/errors#unauthorized');
    } finally {
      await announced.stop();
    }
  });
});
