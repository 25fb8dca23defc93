import { expect } from 'chai';
import { Service } from '#test/support/service.js';

describe('fields of people that a workspace defines', () => {
  const service = Service.duringSuite();
  const region = { slug: 'region', label: 'Region', type: 'select', options: ['DACH', 'Nordics'] };
  const level = { slug: 'level', label: 'Level', type: 'number' };
  const since = { slug: 'ae_since', label: 'AE since', type: 'date' };
  const mentor = { slug: 'mentor', label: 'Mentor', type: 'text' };

  async function defined(...fields: object[]) {
    const { api, workspaceId } = await service.workspace();
    await api.expect(200, 'PUT', '/v1/person-fields', { fields });
    const [ann, bob] = await api.saveReps({ email: 'ann@x.io', name: 'Ann' }, { email: 'bob@x.io', name: 'Bob' });
    const fieldsOf = async (repId: string) => (await api.expect(200, 'GET', `/v1/reps/${repId}`)).fields;
    return { api, workspaceId, ann, bob, fieldsOf };
  }

  it('keep their definitions, and people without values are as they were', async () => {
    const { api, ann } = await defined(region, level);
    expect(await api.expect(200, 'GET', '/v1/person-fields')).to.deep.equal({ fields: [region, level] });
    expect(await api.expect(200, 'GET', `/v1/reps/${ann}`)).not.to.have.property('fields');
  });

  it('reject definitions that contradict themselves, and change nothing', async () => {
    const { api } = await defined(region);
    for (const wrong of [
      [region, { ...region, label: 'Other' }],
      [region, { ...level, label: 'region' }],
      [{ ...region, options: undefined }],
      [{ ...level, options: ['1'] }],
      [{ ...region, options: ['DACH', 'dach'] }],
      [{ ...level, slug: 'title' }],
      [{ ...level, slug: 'hire_date' }],
      [{ ...level, slug: 'Level' }],
    ])
      expect(await api.put('/v1/person-fields', { fields: wrong }), JSON.stringify(wrong)).to.have.property(
        'status',
        400,
      );
    expect((await api.expect(200, 'GET', '/v1/person-fields')).fields).to.deep.equal([region]);
  });

  it('have values by the API, which are typed, merged, and rejected all or none', async () => {
    const { api, ann, bob, fieldsOf } = await defined(region, level, since, mentor);
    await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { fields: { region: 'dach', level: '3.50', mentor: ' Mia ' } });
    expect(await fieldsOf(ann)).to.deep.equal({ region: 'DACH', level: 3.5, mentor: 'Mia' });
    await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { fields: { mentor: null, ae_since: '2026-02-01' } });
    expect(await fieldsOf(ann)).to.deep.equal({ region: 'DACH', level: 3.5, ae_since: '2026-02-01' });
    for (const fields of [
      { region: 'APAC' },
      { level: 'high' },
      { ae_since: '2026-02-30' },
      { mentor: '' },
      { shoe: 7 },
    ]) {
      const { status, body } = await api.patch(`/v1/reps/${ann}`, { team: 'North', fields });
      expect(status, JSON.stringify(fields)).to.equal(400);
      expect(body.details.issues[0].path).to.equal(`fields.${Object.keys(fields)[0]}`);
    }
    const { body } = await api.put('/v1/reps', {
      reps: [
        { email: 'ann@x.io', name: 'Ann', fields: { level: 4 } },
        { email: 'bob@x.io', name: 'Bob', fields: { level: 'x' } },
      ],
    });
    expect(body.details.issues[0].path).to.equal('reps.1.fields.level');
    expect(await fieldsOf(ann)).to.have.property('level', 3.5);
    expect(await fieldsOf(bob)).to.equal(undefined);
  });

  it('are read from files by slug or label, with a reason for each rejected row', async () => {
    const { api, ann, bob, fieldsOf } = await defined(region, level, since);
    const csv = (text: string, query = '') =>
      api.expect(200, 'POST', `/v1/reps/import${query}`, text, { 'Content-Type': 'text/csv' });
    const { results } = await csv(
      'email,Region,level,AE since\nann@x.io,nordics,2,03/04/2026\nbob@x.io,Mars,1,\n',
      '?dateFormat=DMY',
    );
    expect(results[0]).to.include({ outcome: 'changed' });
    expect(results[1].reason).to.include('region').and.to.include('DACH, Nordics');
    expect(await fieldsOf(ann)).to.deep.equal({ region: 'Nordics', level: 2, ae_since: '2026-04-03' });
    const again = await csv('email,Region\nann@x.io,Nordics\nbob@x.io,\n');
    expect(again.results.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal(['unchanged', 'unchanged']);
    expect(await fieldsOf(bob)).to.equal(undefined);
  });

  it('restrict the list of people, whatever the case of texts', async () => {
    const { api, ann } = await defined(region, level);
    await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { fields: { region: 'DACH', level: 2 } });
    const find = async (fields: object) =>
      (await api.expect(200, 'GET', `/v1/reps?fields=${encodeURIComponent(JSON.stringify(fields))}`)).reps.map(
        ({ name }: { name: string }) => name,
      );
    expect(await find({ region: 'dach' })).to.deep.equal(['Ann']);
    expect(await find({ region: 'DACH', level: 2 })).to.deep.equal(['Ann']);
    expect(await find({ region: 'DACH', level: 3 })).to.deep.equal([]);
    expect(await find({})).to.include.members(['Ann', 'Bob']);
    expect(await api.get('/v1/reps?fields=region')).to.have.property('status', 400);
  });

  it('cannot lose values by another definition, and can once the values are cleared', async () => {
    const { api, ann } = await defined(region, level);
    await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { fields: { region: 'DACH' } });
    for (const fields of [
      [level],
      [{ ...region, options: ['Nordics'] }, level],
      [{ ...region, type: 'date', options: undefined }],
    ]) {
      const { status, body } = await api.put('/v1/person-fields', { fields });
      expect([status, body.code]).to.deep.equal([409, 'person_field_in_use']);
    }
    const relabelled = [{ ...region, label: 'Territory', options: ['DACH', 'APAC'] }];
    await api.expect(200, 'PUT', '/v1/person-fields', { fields: relabelled });
    await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { fields: { region: null } });
    await api.expect(200, 'PUT', '/v1/person-fields', { fields: [] });
  });

  it('become dated again after their values with days were cleared', async () => {
    const dated = { ...mentor, dated: true };
    const { api, ann } = await defined(dated);
    const define = (...fields: object[]) => api.expect(200, 'PUT', '/v1/person-fields', { fields });
    const path = `/v1/reps/${ann}/fields/mentor`;
    await api.expect(200, 'PUT', path, { values: [{ from: '2026-01-01', value: 'Mia' }] });
    await api.expect(200, 'PUT', path, { values: [] });
    await define(mentor);
    await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { fields: { mentor: 'Zoe' } });
    await define(dated);
    expect((await api.expect(200, 'GET', path)).values).to.deep.equal([{ value: 'Zoe' }]);
  });

  it('are hidden from the widget, and the audit log shows that they changed and not what', async () => {
    const { api, ann, workspaceId } = await defined(mentor);
    await api.expect(200, 'PATCH', `/v1/reps/${ann}`, { fields: { mentor: 'Secret Mia' } });
    const widget = service.client(await service.token(workspaceId, 'conn'));
    const { reps } = await widget.expect(200, 'GET', '/v1/reps?email=ann@x.io');
    expect(reps[0]).not.to.have.property('fields');
    expect(await widget.expect(200, 'GET', `/v1/reps/${ann}`)).not.to.have.property('fields');
    const rows = await service.sql('select * from audit_entries where workspace_id = $1', workspaceId);
    expect(JSON.stringify(rows)).to.include('fields').and.not.to.include('Secret Mia');
  });
});
