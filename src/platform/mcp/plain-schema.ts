import { type JsonSchema } from '../json-schema.js';

type Properties = Readonly<Record<string, JsonSchema>>;

/**
 * The schema in the subset that strict clients and large model providers read: no `anyOf`, lists of types, `const` or
 * exclusive limits. It may be narrower than what is accepted: the operation checks every call by its own schema.
 */
export function plainSchema(schema: JsonSchema): JsonSchema {
  const { anyOf, const: only, ...others } = schema;
  const rest = typeof only === 'string' ? { ...others, enum: [only] } : others;
  const forms = (anyOf as readonly JsonSchema[] | undefined)
    ?.filter((form) => form['type'] !== 'null')
    .map(plainSchema);
  const whole = forms === undefined ? rest : { ...merged(forms), ...rest };
  return Object.fromEntries(Object.entries(whole).flatMap(plainKeyword));
}

const omittedKeywords: ReadonlySet<string> = new Set([
  'example',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'pattern',
]);

function plainKeyword([keyword, value]: readonly [string, unknown]): (readonly [string, unknown])[] {
  if (keyword === 'type' && Array.isArray(value)) {
    const types = value.filter((type) => type !== 'null');
    return types.length === 1 || types[0] === 'number' ? [[keyword, types[0]]] : [];
  }
  // Examples and limits cost tokens in every list of tools; the error message states a limit that is exceeded.
  if (omittedKeywords.has(keyword)) return [];
  // An unknown property is rejected by the operation.
  if (keyword === 'additionalProperties' && (value === false || Object.keys(value as object).length === 0)) return [];
  if (keyword === 'properties')
    return [
      [
        keyword,
        Object.fromEntries(
          Object.entries(value as Properties).map(([name, property]) => [name, plainSchema(property)]),
        ),
      ],
    ];
  if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object') {
    // The description of a list says what its items are.
    const { description: _, ...item } = plainSchema(value as JsonSchema);
    return [[keyword, item]];
  }
  return [[keyword, value]];
}

/**
 * One schema for several: objects with the properties of all, anything else without a type unless all have the same.
 */
function merged(forms: readonly JsonSchema[]): JsonSchema {
  const [only] = forms;
  if (forms.length === 1 && only !== undefined) return only;
  const types = new Set(forms.map((form) => form['type']));
  if (!types.has('object')) return types.size === 1 ? { type: [...types][0] } : {};
  const properties: Record<string, JsonSchema> = {};
  for (const form of forms)
    for (const [name, property] of Object.entries((form['properties'] ?? {}) as Properties))
      properties[name] = name in properties ? both(properties[name] as JsonSchema, property) : property;
  const required = requiredIn(forms[0]).filter((name) => forms.every((form) => requiredIn(form).includes(name)));
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

function requiredIn(form: JsonSchema | undefined): readonly string[] {
  return (form?.['required'] ?? []) as readonly string[];
}

function both(first: JsonSchema, second: JsonSchema): JsonSchema {
  const values = [first, second].flatMap((form) => (form['enum'] ?? []) as readonly unknown[]);
  return { ...second, ...first, ...(values.length === 0 ? {} : { enum: values }) };
}
