import { expect } from 'chai';
import { Service } from '#test/support/service.js';

describe('GET /', () => {
  const service = Service.duringSuite();

  for (const accepted of ['application/json', 'text/html'])
    it(`states as ${accepted} how long it may be stored, and that it depends on Accept`, async () => {
      const { status, headers } = await fetch(service.url, { headers: { Accept: accepted } });
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.include(accepted);
      expect(headers.get('cache-control')).to.equal('no-cache');
      expect(headers.get('vary')).to.match(/\bAccept\b(?!-)/);
    });
});
