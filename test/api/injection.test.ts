import { expect } from 'chai';
import { operations as declared } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { type ApiClient } from '#test/support/api-client.js';
import { query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';

/** Ends the literal or the statement, wherever it is inserted, and takes a number that no rollback returns. */
const injected = `x' or nextval('injected') > 0; select nextval('injected'); drop table reps; --") $1 \\`;

const operations = (declared as readonly AnyOperation[]).filter(({ access, upload, raw }) => {
  return access !== 'public' && upload === undefined && raw === undefined;
});

/** Copies of the value, each with one of its texts replaced. */
function withInjection(value: unknown): unknown[] {
  if (typeof value === 'string') return [injected];
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((item) => withInjection(item).map((one) => [one]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => withInjection(item).map((one) => ({ ...value, [name]: one })));
}

describe('SQL in texts', () => {
  const service = Service.duringSuite({ settings: { RATE_LIMIT_PER_MINUTE: '1000000' }, worker: false });
  let api: ApiClient;
  let otherId: string;

  before(async () => {
    await service.sql('create sequence injected');
    await service.sql('grant usage on sequence injected to public');
    ({ api } = await service.workspace());
    const { workspaceId, api: other } = await service.workspace();
    otherId = workspaceId;
    await other.expect(200, 'PUT', '/v1/reps', { reps: [{ name: 'Ann', email: 'ann@x.io' }] });
  });

  function callsOf({ method, path, example }: AnyOperation) {
    const filled = (params: unknown) =>
      path.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(String((params as Record<string, unknown> | undefined)?.[name] ?? 'x')),
      );
    const address = (params: unknown, given: unknown) => {
      const text = new URLSearchParams((given ?? {}) as Record<string, string>).toString();
      return text === '' ? filled(params) : `${filled(params)}?${text}`;
    };
    const { params, query: given, body } = example;
    const own = method === 'get' ? undefined : body;
    return [
      ...withInjection(params).map((one) => ({ path: address(one, given), body: own })),
      ...withInjection(given).map((one) => ({ path: address(params, one), body: own })),
      ...withInjection(own).map((one) => ({ path: address(params, given), body: one })),
    ];
  }

  for (const operation of operations)
    it(`${operation.id} treats SQL in each text of its input as text`, async () => {
      for (const call of callsOf(operation)) {
        const { status, body } = await api.send(operation.method.toUpperCase(), call.path, call.body);
        const what = `${call.path} ${JSON.stringify(call.body)}: ${JSON.stringify(body)}`;
        expect(status, what).to.satisfy((one: number) => one < 500 || one === 502 || one === 503);
      }
    });

  it('is never executed', async () => {
    expect(await service.sql('select is_called from injected')).to.deep.equal([{ is_called: false }]);
  });

  it('changes nothing of another workspace', async () => {
    const rows = await query(service.database.ownerUrl, 'select name from reps where workspace_id = $1', [otherId]);
    expect(rows).to.deep.equal([{ name: 'Ann' }]);
  });
});
