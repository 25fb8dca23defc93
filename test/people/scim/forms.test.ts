import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: the bodies of the protocol
type Loose = any;
const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const appRole = { primary: true, type: 'WindowsAzureActiveDirectoryRole', value: 'manager' };
const roleText = JSON.stringify({ id: '18d14569', value: 'manager', displayName: 'Manager' });
const boss = 'MANAGER_ID';

/** What the person becomes who is an active rep named Ben Ray, with the title AE and no manager. */
const patches: readonly (readonly [form: string, operations: readonly Loose[], changed: Loose])[] = [
  ['names in another case', [{ op: 'Replace', path: 'Active', value: 'False' }], { active: false }],
  ['Okta, without a path', [{ op: 'replace', value: { active: false } }], { active: false }],
  [
    'names in another case, without a path',
    [{ OP: 1, op: 'replace', value: { ACTIVE: 'false', Title: 'VP' } }],
    { active: false, title: 'VP' },
  ],
  ['full addresses', [{ op: 'replace', path: `${core}:title`, value: 'VP' }], { title: 'VP' }],
  [
    'full addresses in another case',
    [{ op: 'add', path: `${enterprise.toLowerCase()}:Department`, value: 'Sales' }],
    { team: 'Sales' },
  ],
  [
    'paths as names',
    [{ op: 'add', value: { 'name.familyName': 'Lee', [`${enterprise}:department`]: 'EMEA' } }],
    { name: 'Ben Lee', team: 'EMEA' },
  ],
  ['an extension', [{ op: 'add', value: { [enterprise]: { department: 'EMEA', costCenter: '1' } } }], { team: 'EMEA' }],
  ['Entra, app roles', [{ op: 'Add', path: 'roles', value: [appRole] }], { role: 'manager' }],
  [
    'Entra, app roles with texts',
    [{ op: 'Add', path: 'roles', value: [{ ...appRole, primary: 'True' }] }],
    { role: 'manager' },
  ],
  [
    'Entra, one app role',
    [{ op: 'Replace', path: 'roles[primary eq "True"].value', value: 'manager' }],
    { role: 'manager' },
  ],
  [
    'Entra, one app role as JSON',
    [{ op: 'Replace', path: 'roles[primary eq "True"].value', value: roleText }],
    { role: 'manager' },
  ],
  ['Entra, app roles as JSON', [{ op: 'Add', path: 'roles', value: [{ value: roleText }] }], { role: 'manager' }],
  ['a role alone', [{ op: 'replace', path: 'Roles', value: 'Manager' }], { role: 'manager' }],
  [
    'a removed role',
    [
      { op: 'add', path: 'roles', value: [appRole] },
      { op: 'Remove', path: 'roles' },
    ],
    { role: 'rep' },
  ],
  [
    'one removed role',
    [
      { op: 'replace', path: 'roles', value: [appRole] },
      { op: 'Remove', path: 'roles[value eq "manager"]' },
    ],
    { role: 'rep' },
  ],
  ['Entra, the manager', [{ op: 'Add', path: `${enterprise}:manager`, value: boss }], { managerId: boss }],
  [
    'Entra, the manager with an address',
    [{ op: 'Add', path: `${enterprise}:manager`, value: [{ $ref: `../Users/${boss}`, value: boss }] }],
    { managerId: boss },
  ],
  [
    'the address of the manager',
    [{ op: 'add', path: `${enterprise}:manager`, value: { $ref: `https://a.test/scim/v2/Users/${boss}` } }],
    { managerId: boss },
  ],
  ['a part of the manager', [{ op: 'replace', path: `${enterprise}:manager.value`, value: boss }], { managerId: boss }],
  [
    'OneLogin, the name',
    [{ op: 'replace', path: 'name', value: { givenName: 'Bo', FamilyName: 'Ray', middleName: 'X' } }],
    { name: 'Bo Ray' },
  ],
  [
    'types of their own',
    [
      { op: 'add', path: 'emails', value: [{ type: 'secondary', value: 'b@acme.test', primary: 'False' }] },
      { op: 'add', path: 'phoneNumbers[type eq "primary"].value', value: '1' },
    ],
    {},
  ],
  [
    'Google, what is not kept',
    [
      { op: 'replace', path: 'nickName', value: 'B' },
      { op: 'add', path: 'addresses', value: [{ type: 'own', locality: 'Oslo' }] },
    ],
    {},
  ],
];

const rejected: readonly (readonly [form: string, operation: Loose])[] = [
  ['an unknown attribute', { op: 'replace', path: 'nothing', value: 1 }],
  ['an unknown attribute without a path', { op: 'replace', value: { nothing: 1 } }],
  ['an unknown part', { op: 'replace', path: 'name.nothing', value: 'x' }],
  ['an unknown part of the manager', { op: 'replace', path: `${enterprise}:manager.nothing`, value: 'x' }],
  ['a part of a text', { op: 'replace', path: 'title.value', value: 'x' }],
  ['no boolean', { op: 'replace', path: 'active', value: 'no' }],
  ['a list for a boolean', { op: 'replace', path: 'active', value: [false] }],
  ['a removed activity', { op: 'remove', path: 'active' }],
  ['no text', { op: 'replace', path: 'title', value: 1 }],
  ['no role', { op: 'add', path: 'roles', value: [{ value: 'king' }] }],
  ['no JSON', { op: 'add', path: 'roles', value: '{no' }],
  ['another comparison', { op: 'replace', path: 'roles[value ne "a"].value', value: 'rep' }],
  ['an unknown operation', { op: 'move', path: 'title', value: 'x' }],
  ['a removal without a path', { op: 'remove' }],
  ['no person', { op: 'add', path: `${enterprise}:manager`, value: '00000000-0000-4000-8000-000000000000' }],
];

describe('the forms in which identity providers send people over SCIM', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let key: string;
  let managerId: string;
  let count = 0;

  before(async () => {
    ({ api } = await service.workspace());
    await api.saveReps({ name: 'Ada', email: 'ada@acme.test', role: 'admin' });
    [managerId] = await api.saveReps({ name: 'Mia', email: 'mia@acme.test', role: 'manager' });
    key = (await api.expect(201, 'POST', '/v1/workspaces/integration-keys', { name: 'IdP', scopes: ['scim'] })).key;
  });

  async function call(method: string, path: string, body?: Loose): Promise<{ status: number; body: Loose }> {
    const text = body === undefined ? undefined : JSON.stringify(body).replaceAll(boss, managerId);
    const response = await fetch(`${service.url}/scim/v2${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/scim+json' },
      ...(text === undefined ? {} : { body: text }),
    });
    expect(response.headers.get('content-type')).to.match(/^application\/scim\+json/);
    return { status: response.status, body: await response.json() };
  }

  const stored = async (id: string) => (await api.expect(200, 'GET', `/v1/reps/${id}`)) as Loose;
  const create = async (more: Loose = {}): Promise<string> => {
    count += 1;
    const name = { givenName: 'Ben', familyName: 'Ray' };
    const user = { schemas: [core], userName: `ben${count}@acme.test`, name, title: 'AE', ...more };
    const created = await call('POST', '/Users', user);
    expect(created.status, JSON.stringify(created.body)).to.equal(201);
    return created.body.id;
  };
  const patch = (id: string, operations: readonly Loose[]) =>
    call('PATCH', `/Users/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: operations,
    });
  const shown = ({ name, title, team, role, active, managerId: manager }: Loose) => ({
    name,
    title,
    team,
    role,
    active,
    managerId: manager,
  });

  for (const [form, operations, changed] of patches)
    it(`understands ${form}`, async () => {
      const id = await create();
      const before = shown(await stored(id));
      const { status, body } = await patch(id, operations);
      expect(status, JSON.stringify(body)).to.equal(200);
      const expected = { ...before, ...JSON.parse(JSON.stringify(changed).replaceAll(boss, managerId)) };
      expect(shown(await stored(id))).to.deep.equal(expected);
    });

  for (const [form, operation] of rejected)
    it(`answers 400 to ${form}, and changes nothing`, async () => {
      const id = await create();
      const before = shown(await stored(id));
      const { status, body } = await patch(id, [{ op: 'replace', path: 'title', value: 'VP' }, operation]);
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(shown(await stored(id))).to.deep.equal(before);
    });

  it('creates people with app roles, types of their own and texts for booleans', async () => {
    const lists = {
      emails: [{ type: 'secondary', value: 'x@acme.test', primary: 'True' }],
      phoneNumbers: [{ type: 'primary', value: '1' }],
    };
    for (const roles of [[appRole], [{ ...appRole, primary: 'True' }], [{ value: roleText }]])
      expect((await stored(await create({ roles, ...lists, Active: 'True' }))).role).to.equal('manager');
    expect((await stored(await create({ roles: [], 'urn:own:2.0:User': { a: 1 } }))).role).to.equal('rep');
  });

  it('finds people by every attribute, and answers 400 to what is no filter', async () => {
    const id = await create({ externalId: 'e1', [enterprise]: { department: 'Found' } });
    const address = `ben${count}@acme.test`;
    const found = async (filter: string) => {
      const { status, body } = await call('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect(status, `${filter}: ${JSON.stringify(body)}`).to.equal(200);
      return body.Resources.map((user: Loose) => user.id);
    };
    for (const filter of [
      `userName eq "${address.toUpperCase()}"`,
      `UserName Eq "${address}"`,
      `${core}:userName eq "${address}"`,
      `emails[type eq "work"].value eq "${address}"`,
      `emails.value eq "${address}"`,
      `externalId eq "e1" and active eq true`,
      `${enterprise}:department eq "found"`,
      `name.givenName eq "ben" and userName eq "${address}"`,
    ])
      expect(await found(filter), filter).to.deep.equal([id]);
    for (const filter of ['meta.created gt "2026"', 'phoneNumbers.value eq "1"', 'emails co "@acme"', 'nothing pr'])
      expect((await call('GET', `/Users?filter=${encodeURIComponent(filter)}`)).status, filter).to.be.oneOf([200, 400]);
    for (const filter of ['userName eq "a', '(', `${'('.repeat(400)}`, 'a[b eq 1', 'x'.repeat(501), 'userName in "a"'])
      expect((await call('GET', `/Users?filter=${encodeURIComponent(filter)}`)).status, filter).to.equal(400);
  });

  it('rejects more than 100 values of a user, and takes the members of a large group', async () => {
    const id = await create();
    const emails = Array.from({ length: 30 }, (_, at) => ({ value: `a${at}@acme.test` }));
    const operations = Array.from({ length: 400 }, () => ({ op: 'add', path: 'emails', value: emails }));
    const { status, body } = await patch(id, operations);
    expect([status, body.scimType]).to.deep.equal([400, 'tooMany']);
    const members = Array.from({ length: 300 }, () => ({ value: id }));
    const group = await call('PATCH', '/Groups/manager', {
      Operations: [{ op: 'Add', path: 'Members', value: members }],
    });
    expect(group.status).to.equal(200);
    expect((await stored(id)).role).to.equal('manager');
    await call('PATCH', '/Groups/manager', { Operations: [{ op: 'Remove', path: 'members', value: [{ value: id }] }] });
    expect((await stored(id)).role).to.equal('rep');
  });

  it('answers in the form of the protocol to what the service does not have', async () => {
    for (const [method, path, expected] of [
      ['POST', '/Bulk', 501],
      ['GET', '/Me', 501],
      ['POST', '/Users/.search', 501],
      ['GET', '/Nothing', 404],
      ['PUT', '/Users', 404],
    ] as const) {
      const { status, body } = await call(method, path, method === 'GET' ? undefined : {});
      expect([status, body.schemas, body.status], path).to.deep.equal([
        expected,
        ['urn:ietf:params:scim:api:messages:2.0:Error'],
        String(expected),
      ]);
    }
  });
});
