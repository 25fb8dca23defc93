import { expect } from 'chai';
import { forbidden, rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { type Json } from './running-service.js';
import { expectError, World } from './world.js';

const types = ['text', 'number', 'currency', 'date', 'select', 'status', 'checkbox', 'timestamp'];

/** Section 4 of the specification, fields. */
export function describeFields(): void {
  describe('4: fields', () => {
    let world: World;

    before(async () => {
      world = await World.create();
      await world.deal('F1', { stage: 'Won', fields: { deal_value: 500, region: 'EMEA' } });
      await world.deal('F2', { stage: 'Lost', fields: { deal_value: 700, region: 'AMER' } });
    });

    describeDefinitions(() => world);
    describeMapping(() => world);
  });
}

function describeDefinitions(world: () => World): void {
  const options = (slug: string) => `/v1/fields/attributes/${slug}/options`;

  row(309, 'GET /v1/fields returns an array of field definitions', async () => {
    const fields = await world().get('/v1/fields');
    expect(fields).to.be.an('array');
    expect(fields.map((field: Json) => field.slug)).to.include.members(['deal_value', 'region']);
  });

  row(310, 'a field definition has slug, label and type', async () => {
    for (const field of await world().get('/v1/fields')) {
      expect(field).to.include.keys('slug', 'label', 'type');
      expect(types).to.include(field.type);
      expect(field.label).to.be.a('string').and.not.equal('');
    }
  });

  row(311, 'closeDate, dealAmount and dealStage are in the list', async () => {
    const fields = await world().get('/v1/fields');
    const typeOf = (slug: string) => fields.find((field: Json) => field.slug === slug)?.type;
    expect(['closeDate', 'dealAmount', 'dealStage'].map(typeOf)).to.deep.equal(['date', 'currency', 'status']);
  });

  unauthorized(312, 'GET /v1/fields', () => world().anyone.get('/v1/fields'));

  row(313, 'GET /v1/fields/attributes is an alias that lists the same slugs', async () => {
    const slugs = (await world().get('/v1/fields/attributes')).map((field: Json) => field.slug);
    expect(slugs).to.include.members(['dealAmount', 'dealStage', 'closeDate', 'deal_value']);
  });

  row(314, 'the alias returns exactly the response of GET /v1/fields', async () => {
    expect(await world().get('/v1/fields/attributes')).to.deep.equal(await world().get('/v1/fields'));
  });

  row(315, 'the options of a field are an array of {label, value}', async () => {
    const found = await world().get(options('dealStage'));
    expect(found.map((option: Json) => option.value)).to.have.members(['Won', 'Lost']);
    const byPlanSlug = await world().get(options('stage'));
    expect(byPlanSlug, 'by the slug that plans use').to.deep.equal(found);
  });

  row(316, 'an option has label and value', async () => {
    for (const option of await world().get(options('dealStage'))) {
      expect(option).to.have.all.keys('label', 'value');
      expect(option.label).to.be.a('string').and.not.equal('');
    }
  });

  rejects(317, 'the options of a field that is no select are 404', 404, 'field_not_found', () =>
    world().admin.get(options('dealAmount')),
  );

  rejects(318, 'the options of an unknown field are 404', 404, 'field_not_found', () =>
    world().admin.get(options('no_such_field')),
  );

  rejects(319, 'options without a token are 401', 401, 'unauthorized', () => world().anyone.get(options('dealStage')));
}

function describeMapping(world: () => World): void {
  const current = () => world().get('/v1/fields/current');
  let suggestion: Json;

  row(322, 'GET /v1/fields/current returns the saved mapping as an object', async () => {
    expect(await current()).to.deep.include({ standard: {}, measures: {} });
  });

  unauthorized(323, 'GET /v1/fields/current', () => world().anyone.get('/v1/fields/current'));

  row(320, 'POST auto-match returns 201 with a suggested mapping', async () => {
    suggestion = await world().admin.expect(201, 'POST', '/v1/fields/auto-match');
    expect(suggestion.standard).to.include({ dealAmount: 'deal_value' });
  });

  row(321, 'auto-match saves nothing', async () => {
    expect((await current()).standard).to.deep.equal({});
  });

  row(326, 'the suggestion of auto-match can be posted to save as it is', async () => {
    await world().admin.expect(201, 'POST', '/v1/fields/save', suggestion);
    expect((await current()).standard).to.deep.equal(suggestion.standard);
  });

  row(324, 'POST save returns 201 and reads stored deals by the new mapping', async () => {
    const mapping = { standard: { dealAmount: 'deal_value' }, measures: { arr: 'deal_value' } };
    const answer = await world().admin.expect(201, 'POST', '/v1/fields/save', mapping);
    expect(answer).to.deep.include(mapping);
    await world().jobEnd(answer.jobId);
    const fromCrm = await world().admin.put('/v1/deals/F3', { fields: { deal_value: 900 }, ownerId: 'ben' });
    expect(fromCrm.body.amount).to.equal(900);
  });

  row(325, 'the saved mapping is returned by current', async () => {
    expect(await current()).to.deep.include({
      standard: { dealAmount: 'deal_value' },
      measures: { arr: 'deal_value' },
    });
  });

  unauthorized(327, 'POST save', () => world().anyone.post('/v1/fields/save', { standard: {} }));
  forbidden(328, 'POST save by a rep is 403', () => world().ben.post('/v1/fields/save', { standard: {} }));

  row(329, 'POST save of another body is 400', async () => {
    for (const body of [{}, { standard: { amount: 'x' } }, { standard: { dealAmount: 5 } }, []])
      await expectError('400 VALIDATION_FAILED', world().admin.post('/v1/fields/save', body));
    expect((await current()).standard).to.deep.equal({ dealAmount: 'deal_value' });
  });
}
