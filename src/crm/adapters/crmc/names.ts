/** A field of crm-c with its native name and its slug. */
export interface CrmcName {
  readonly native: string;
  readonly slug: string;
}

/** Slugs that every CRM has. Only standard fields get them; custom fields with these names get other slugs. */
const canonical: ReadonlyMap<string, string> = new Map([
  ['Amount', 'amount'],
  ['StageName', 'stage'],
  ['CloseDate', 'close_date'],
  ['OwnerId', 'owner_id'],
  ['Name', 'name'],
  ['CurrencyIsoCode', 'currency'],
]);

/** `Annual_Contract_Value__c` is `annual_contract_value`, `ARR__c` is `arr`, `ns__Field__c` is `ns_field`. */
export function snakeCase(native: string): string {
  return native
    .replace(/__p?c$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/_+/g, '_')
    .toLowerCase();
}

/**
 * Unique slugs of the fields. On a collision the standard field keeps the plain slug and a custom field gets `_c`.
 * The order of the CRM's list does not matter, because plans refer to slugs for years.
 */
export function assignSlugs(natives: readonly string[]): CrmcName[] {
  const order = [...natives].sort((a, b) => Number(isCustom(a)) - Number(isCustom(b)) || (a < b ? -1 : 1));
  const nativeBySlug = new Map<string, string>();
  for (const native of order) nativeBySlug.set(freeSlug(native, nativeBySlug), native);
  const slugs = new Map([...nativeBySlug].map(([slug, native]) => [native, slug]));
  return natives.map((native) => ({ native, slug: slugs.get(native) as string }));
}

function freeSlug(native: string, nativeBySlug: ReadonlyMap<string, string>): string {
  const plain = canonical.get(native) ?? snakeCase(native);
  const preferred = isCustom(native) && nativeBySlug.has(plain) ? `${plain}_c` : plain;
  if (!nativeBySlug.has(preferred)) return preferred;
  for (let number = 2; ; number++) if (!nativeBySlug.has(`${preferred}_${number}`)) return `${preferred}_${number}`;
}

function isCustom(native: string): boolean {
  return /__p?c$/.test(native);
}
