import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: the bodies of the protocol
type Loose = any;
const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

describe('people of an identity provider over SCIM 2.0', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let key: string;
  let mia: string;

  before(async () => {
    ({ api, workspaceId } = await service.workspace());
    const { reps } = await api.expect(200, 'PUT', '/v1/reps', {
      reps: [
        { email: 'ada@acme.test', name: 'Ada Admin', role: 'admin' },
        { email: 'mia@acme.test', name: 'Mia Ito', role: 'manager' },
      ],
    });
    mia = reps[1].id;
    key = await createKey(['scim']);
  });

  const createKey = async (scopes: readonly string[]) =>
    (await api.expect(201, 'POST', '/v1/workspaces/integration-keys', { name: 'Okta', scopes })).key;

  async function call(status: number, method: string, path: string, body?: object, token = key): Promise<Loose> {
    const response = await fetch(`${service.url}/scim/v2${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(response.status, `${method} ${path}: ${text}`).to.equal(status);
    if (text === '') return null;
    expect(response.headers.get('content-type')).to.match(/^application\/scim\+json/);
    return JSON.parse(text);
  }

  const patch = (id: string, ...operations: object[]) =>
    call(200, 'PATCH', `/Users/${id}`, { schemas: [patchSchema], Operations: operations });
  const stored = async (email: string) =>
    (await api.expect(200, 'GET', '/v1/reps')).reps.find((rep: Loose) => rep.email === email);

  describe('as Okta sends it', () => {
    let id: string;

    it('finds no user, then creates the person with the parts of the name', async () => {
      const filter = encodeURIComponent('userName eq "Ben.Ray@acme.test"');
      expect(await call(200, 'GET', `/Users?filter=${filter}&startIndex=1&count=100`)).to.include({
        totalResults: 0,
        startIndex: 1,
        itemsPerPage: 0,
      });
      const created = await call(201, 'POST', '/Users', {
        schemas: [core],
        userName: 'Ben.Ray@acme.test',
        name: { givenName: 'Ben', familyName: 'Ray' },
        emails: [{ primary: true, value: 'ben.ray@acme.test', type: 'work' }],
        displayName: 'Ben Ray',
        locale: 'en-US',
        externalId: '00ujl29u0le5T6Aj10h7',
        groups: [],
        password: '1mz050nq',
        active: true,
      });
      id = created.id;
      expect(created).to.deep.include({
        userName: 'ben.ray@acme.test',
        externalId: '00ujl29u0le5T6Aj10h7',
        name: { formatted: 'Ben Ray', givenName: 'Ben', familyName: 'Ray' },
        active: true,
      });
      expect(created.meta.location).to.match(new RegExp(`/scim/v2/Users/${id}$`));
      expect(await stored('ben.ray@acme.test')).to.include({ id, name: 'Ben Ray', role: 'rep', active: true });
      expect((await call(200, 'GET', `/Users?filter=${filter}`)).Resources.map((user: Loose) => user.id)).to.deep.equal(
        [id],
      );
    });

    it('replaces the profile, and keeps the manager that it does not send', async () => {
      await api.expect(200, 'PATCH', `/v1/reps/${id}`, { managerId: mia });
      const user = await call(200, 'GET', `/Users/${id}`);
      delete user[enterprise];
      const replaced = await call(200, 'PUT', `/Users/${id}`, {
        ...user,
        name: { givenName: 'Ben', familyName: 'Stone' },
        displayName: 'Ben Stone',
      });
      expect(replaced[enterprise].manager.value).to.equal(mia);
      expect(await stored('ben.ray@acme.test')).to.include({ name: 'Ben Stone', managerId: mia });
    });

    it('deactivates and activates the person, whose sessions end', async () => {
      expect(await patch(id, { op: 'replace', value: { active: false } })).to.include({ id, active: false });
      expect((await stored('ben.ray@acme.test')).active).to.equal(false);
      expect(await patch(id, { op: 'replace', value: { active: true } })).to.include({ active: true });
    });

    it('sets roles by the members of groups', async () => {
      const filter = encodeURIComponent('displayName eq "Managers"');
      const { Resources } = await call(200, 'GET', `/Groups?filter=${filter}`);
      const [group] = Resources;
      expect(group.members).to.deep.equal([{ value: mia }]);
      const change = (...operations: object[]) =>
        call(200, 'PATCH', `/Groups/${group.id}`, { schemas: [patchSchema], Operations: operations });
      await change({ op: 'add', path: 'members', value: [{ value: id, display: 'ben.ray@acme.test' }] });
      expect((await stored('ben.ray@acme.test')).role).to.equal('manager');
      await change({ op: 'remove', path: `members[value eq "${id}"]` });
      expect((await stored('ben.ray@acme.test')).role).to.equal('rep');
      await change({ op: 'replace', value: { id: group.id, displayName: 'Managers' } });
      expect((await stored('mia@acme.test')).role).to.equal('manager');
    });

    it('has no other groups', async () => {
      expect((await call(400, 'POST', '/Groups', { displayName: 'Sales' })).detail).to.match(
        /The groups are the roles/,
      );
      expect((await call(409, 'POST', '/Groups', { displayName: 'Admins' })).scimType).to.equal('uniqueness');
      await call(400, 'DELETE', '/Groups/manager');
    });
  });

  describe('as Microsoft Entra ID sends it', () => {
    let id: string;

    it('creates the person with a role and a manager', async () => {
      const created = await call(201, 'POST', '/Users', {
        schemas: [core, enterprise],
        externalId: 'zoe',
        userName: 'zoe@acme.test',
        active: true,
        displayName: 'Zoe Lee',
        title: 'Sales lead',
        emails: [{ primary: true, type: 'work', value: 'zoe@acme.test' }],
        meta: { resourceType: 'User' },
        name: { formatted: 'Zoe Lee', familyName: 'Lee', givenName: 'Zoe' },
        roles: [{ primary: true, value: 'Manager' }],
        [enterprise]: { department: 'Sales', manager: { value: mia } },
      });
      id = created.id;
      expect(await stored('zoe@acme.test')).to.include({ role: 'manager', managerId: mia, name: 'Zoe Lee' });
      expect(await stored('zoe@acme.test')).to.include({ title: 'Sales lead', team: 'Sales' });
      expect(created).to.include({ title: 'Sales lead' });
      expect(created[enterprise]).to.deep.include({ department: 'Sales' });
    });

    it('changes one attribute of many operations, with booleans as texts and managers as ids', async () => {
      await patch(
        id,
        { op: 'Replace', path: 'displayName', value: 'Zoe Park' },
        { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Oslo' },
        { op: 'Add', path: `${enterprise}:department`, value: 'Marketing' },
        { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'rep' },
      );
      expect(await stored('zoe@acme.test')).to.include({ name: 'Zoe Park', role: 'rep', managerId: mia });
      expect(await stored('zoe@acme.test')).to.include({ title: 'Sales lead', team: 'Marketing' });
      await patch(id, { op: 'Replace', path: 'title', value: 'Account executive' });
      expect(await stored('zoe@acme.test')).to.include({ title: 'Account executive', team: 'Marketing' });
      await patch(id, { op: 'Replace', path: 'active', value: 'False' });
      expect((await stored('zoe@acme.test')).active).to.equal(false);
      await patch(
        id,
        { op: 'Replace', path: 'active', value: 'True' },
        { op: 'Remove', path: `${enterprise}:manager` },
      );
      expect(await stored('zoe@acme.test')).to.include({ active: true, managerId: null });
      await patch(id, { op: 'Add', path: `${enterprise}:manager`, value: mia });
      expect(await stored('zoe@acme.test')).to.include({ managerId: mia });
      await patch(id, { op: 'Replace', path: 'name.familyName', value: 'Lindt' });
      expect(await stored('zoe@acme.test')).to.include({ name: 'Zoe Lindt' });
    });

    it('finds people by the external id and leaves out the members of groups', async () => {
      const filter = encodeURIComponent('externalId eq "zoe"');
      expect((await call(200, 'GET', `/Users?filter=${filter}`)).totalResults).to.equal(1);
      const groups = await call(200, 'GET', '/Groups?excludedAttributes=members');
      expect(groups.Resources.map((group: Loose) => [group.displayName, group.members])).to.deep.equal([
        ['Admins', undefined],
        ['Managers', undefined],
        ['Payroll', undefined],
        ['Finance', undefined],
        ['Auditors', undefined],
        ['Reps', undefined],
      ]);
    });

    it('deletes the person softly, and creates the same person again', async () => {
      await call(204, 'DELETE', `/Users/${id}`);
      expect(await stored('zoe@acme.test')).to.include({ id, active: false });
      await call(404, 'GET', `/Users/${id}`);
      await call(404, 'DELETE', `/Users/${id}`);
      const again = await call(201, 'POST', '/Users', {
        userName: 'zoe@acme.test',
        displayName: 'Zoe Lindt',
        active: true,
      });
      expect(again.id).to.equal(id);
      expect(await stored('zoe@acme.test')).to.include({ active: true });
    });
  });

  describe('rejects', () => {
    const errorOf = async (status: number, method: string, path: string, body?: object) => {
      const { schemas, status: text, scimType } = await call(status, method, path, body);
      expect(schemas).to.deep.equal(['urn:ietf:params:scim:api:messages:2.0:Error']);
      expect(text).to.equal(String(status));
      return scimType;
    };

    it('what exists, cannot change or is no value, and changes nothing', async () => {
      expect(await errorOf(409, 'POST', '/Users', { userName: 'mia@acme.test', displayName: 'M' })).to.equal(
        'uniqueness',
      );
      expect(await errorOf(400, 'POST', '/Users', { userName: 'no-address', displayName: 'N' })).to.equal(
        'invalidValue',
      );
      expect(await errorOf(400, 'POST', '/Users', { userName: 'x@acme.test', active: 'maybe' })).to.equal(
        'invalidValue',
      );
      expect(await errorOf(400, 'PUT', `/Users/${mia}`, { userName: 'm2@acme.test' })).to.equal('mutability');
      const operations = [{ op: 'replace', path: 'nothing', value: 1 }];
      expect(await errorOf(400, 'PATCH', `/Users/${mia}`, { schemas: [patchSchema], Operations: operations })).to.equal(
        'invalidPath',
      );
      expect(await errorOf(400, 'GET', '/Users?filter=userName%20is')).to.equal('invalidFilter');
      expect(await errorOf(404, 'GET', '/Users/1')).to.equal(undefined);
      expect(await stored('mia@acme.test')).to.include({ name: 'Mia Ito', role: 'manager' });
    });

    it('the removal of the last admin', async () => {
      const [ada] = (await call(200, 'GET', '/Groups/admin')).members;
      await errorOf(409, 'DELETE', `/Users/${ada.value}`);
      expect((await stored('ada@acme.test')).active).to.equal(true);
    });

    it('every key without the scope, and its own key everywhere else', async () => {
      await call(403, 'GET', '/Users', undefined, await createKey(['read']));
      await call(401, 'GET', '/Users', undefined, 'int_nothing');
      const headers = { Authorization: `Bearer ${key}` };
      for (const path of ['/v1/reps', '/v1/deals', '/v1/plans'])
        expect((await fetch(`${service.url}${path}`, { headers })).status).to.equal(403);
    });
  });

  describe('as an endpoint', () => {
    it('describes itself, and names the provider as the actor in the audit log', async () => {
      expect((await call(200, 'GET', '/ServiceProviderConfig')).patch).to.deep.equal({ supported: true });
      expect((await call(200, 'GET', '/ResourceTypes')).Resources.map(({ name }: Loose) => name)).to.deep.equal([
        'User',
        'Group',
      ]);
      expect((await call(200, 'GET', `/Schemas/${core}`)).name).to.equal('User');
      const rows = await service.sql<{ operation: string }>(
        `select distinct content::jsonb ->> 'operation' as operation from audit_entries
       where workspace_id = $1 and content::jsonb ->> 'actor' like 'scim:key:%'`,
        workspaceId,
      );
      expect(rows).to.deep.equal([{ operation: 'upsertReps' }]);
    });

    it('does not show the people of another workspace', async () => {
      const other = await service.workspace();
      const body = { name: 'Other', scopes: ['scim'] };
      const { key: otherKey } = await other.api.expect(201, 'POST', '/v1/workspaces/integration-keys', body);
      expect((await call(200, 'GET', '/Users', undefined, otherKey)).totalResults).to.equal(0);
      await call(404, 'GET', `/Users/${mia}`, undefined, otherKey);
      await call(404, 'DELETE', `/Users/${mia}`, undefined, otherKey);
    });
  });
});
