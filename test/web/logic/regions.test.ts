import { expect } from 'chai';
import { currencyChoices, timeZoneChoices } from '#web/shared/format/regions.js';

describe('the choices of a workspace', () => {
  it('are codes of currencies with their names', () => {
    expect(currencyChoices('USD')).to.deep.include(['EUR', 'EUR, Euro']);
    expect(
      currencyChoices('XXZ').map(([code]) => code),
      'the present one',
    ).to.include('XXZ');
  });

  it('are time zones, each once, with the present one even if the browser lists it under another name', () => {
    const zones = timeZoneChoices('UTC').map(([zone]) => zone);
    expect(zones).to.include.members(['UTC', 'Europe/Berlin']);
    expect(new Set(zones).size).to.equal(zones.length);
  });
});
