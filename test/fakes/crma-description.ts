import { z } from 'zod';

/**
 * The part of the vendor's description of its API (OpenAPI, version 2.0.0) that the adapter uses, in our notation: for
 * each operation the scopes, the body and the response. Objects are strict, so the fake invents no key.
 */
export interface DescribedOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Matches the path without the query. */
  readonly path: RegExp;
  readonly scopes: readonly string[];
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** Codes of the error responses that the description names, by status. */
  readonly errors?: Readonly<Record<number, readonly string[]>>;
}

const uuid = z.uuid();
const instant = z.iso.datetime({ offset: true });
const actorType = z.enum(['api-token', 'workspace-member', 'system', 'app']);

const attributeId = z.strictObject({ workspace_id: uuid, object_id: uuid, attribute_id: uuid });
const option = z.strictObject({
  id: z.strictObject({ ...attributeId.shape, option_id: uuid }),
  title: z.string(),
  is_archived: z.boolean(),
});
const status = z.strictObject({
  id: z.strictObject({ ...attributeId.shape, status_id: uuid }),
  title: z.string(),
  is_archived: z.boolean(),
  celebration_enabled: z.boolean(),
  target_time_in_status: z.string().nullable(),
});

function value<const Type extends string, Shape extends z.ZodRawShape>(attributeType: Type, shape: Shape) {
  return z.strictObject({
    active_from: instant,
    active_until: instant.nullable(),
    created_by_actor: z.strictObject({ id: z.string().nullish(), type: actorType.nullish() }),
    attribute_type: z.literal(attributeType),
    ...shape,
  });
}

const values = z.discriminatedUnion('attribute_type', [
  value('actor-reference', { referenced_actor_type: actorType, referenced_actor_id: uuid.nullable() }),
  value('checkbox', { value: z.boolean() }),
  value('currency', { currency_value: z.number(), currency_code: z.string().length(3).nullish() }),
  value('date', { value: z.iso.date() }),
  value('number', { value: z.number() }),
  value('rating', { value: z.number() }),
  value('record-reference', { target_object: z.string(), target_record_id: uuid }),
  value('select', { option }),
  value('status', { status }),
  value('text', { value: z.string() }),
  value('timestamp', { value: instant }),
]);
const record = z.strictObject({
  id: z.strictObject({ workspace_id: uuid, object_id: uuid, record_id: uuid }),
  created_at: z.string(),
  web_url: z.url(),
  values: z.record(z.string(), z.array(values)),
});

const attribute = z.strictObject({
  id: attributeId,
  title: z.string(),
  description: z.string().nullable(),
  api_slug: z.string(),
  type: z.enum([
    'text',
    'number',
    'checkbox',
    'currency',
    'date',
    'timestamp',
    'rating',
    'status',
    'select',
    'record-reference',
    'actor-reference',
    'location',
    'domain',
    'email-address',
    'phone-number',
    'interaction',
    'personal-name',
  ]),
  is_system_attribute: z.boolean(),
  is_writable: z.boolean(),
  is_required: z.boolean(),
  is_unique: z.boolean(),
  is_multiselect: z.boolean(),
  is_default_value_enabled: z.boolean(),
  is_archived: z.boolean(),
  default_value: z.object({ type: z.enum(['dynamic', 'static']) }).nullable(),
  relationship: z.object({ id: attributeId, object_slug: z.string() }).nullable(),
  created_at: z.string(),
  config: z.strictObject({
    currency: z.strictObject({
      default_currency_code: z.string().length(3).nullable(),
      display_type: z.enum(['code', 'name', 'narrowSymbol', 'symbol']).nullable(),
    }),
    record_reference: z.strictObject({ allowed_object_ids: z.array(uuid).nullable() }),
  }),
});

const condition = z.strictObject({ field: z.string(), operator: z.enum(['equals', 'not_equals']), value: z.string() });
const subscription = z.strictObject({
  event_type: z.enum(['record.created', 'record.merged', 'record.updated', 'record.deleted']),
  filter: z.union([
    z.strictObject({ $and: z.array(condition) }),
    z.strictObject({ $or: z.array(condition) }),
    z.null(),
  ]),
});
const webhook = z.strictObject({
  target_url: z.url(),
  subscriptions: z.array(subscription),
  id: z.strictObject({ workspace_id: uuid, webhook_id: uuid }),
  status: z.enum(['active', 'degraded', 'inactive']),
  created_at: z.string(),
});

const self = z.strictObject({
  active: z.literal(true),
  scope: z.string(),
  client_id: z.string(),
  token_type: z.literal('Bearer'),
  exp: z.number().nullable(),
  iat: z.number(),
  sub: uuid,
  aud: z.string(),
  iss: z.literal('attio.com'),
  authorized_by_workspace_member_id: uuid,
  workspace_id: uuid,
  workspace_name: z.string(),
  workspace_slug: z.string(),
  workspace_logo_url: z.url().nullable(),
});

const sort = z.strictObject({
  direction: z.enum(['asc', 'desc']),
  attribute: z.string(),
  field: z.string().optional(),
});
const readsRecords = ['record_permission:read', 'object_configuration:read'];
const notFound = { 404: ['not_found'] };

const data = <T extends z.ZodType>(content: T) => z.strictObject({ data: content });

export const describedOperations: Readonly<Record<string, DescribedOperation>> = {
  'query records': {
    method: 'POST',
    path: /^\/v2\/objects\/[^/]+\/records\/query$/,
    scopes: readsRecords,
    body: z.strictObject({
      filter: z.record(z.string(), z.unknown()).optional(),
      sorts: z.array(sort).optional(),
      limit: z.number().optional(),
      offset: z.number().optional(),
    }),
    response: data(z.array(record)),
    errors: { 400: ['filter_error'], ...notFound },
  },
  'read a record': {
    method: 'GET',
    path: /^\/v2\/objects\/[^/]+\/records\/[^/]+$/,
    scopes: readsRecords,
    response: data(record),
    errors: notFound,
  },
  'change a record': {
    method: 'PATCH',
    path: /^\/v2\/objects\/[^/]+\/records\/[^/]+$/,
    scopes: ['record_permission:read-write', 'object_configuration:read'],
    body: data(z.strictObject({ values: z.record(z.string(), z.unknown()) })),
    response: data(record),
    errors: notFound,
  },
  'read an object': {
    method: 'GET',
    path: /^\/v2\/objects\/[^/]+$/,
    scopes: ['object_configuration:read'],
    response: data(
      z.strictObject({
        id: z.strictObject({ workspace_id: uuid, object_id: uuid }),
        api_slug: z.string().nullable(),
        singular_noun: z.string().nullable(),
        plural_noun: z.string().nullable(),
        created_at: z.string(),
      }),
    ),
    errors: notFound,
  },
  'list attributes': {
    method: 'GET',
    path: /^\/v2\/objects\/[^/]+\/attributes$/,
    scopes: ['object_configuration:read'],
    response: data(z.array(attribute)),
  },
  'list options': {
    method: 'GET',
    path: /^\/v2\/objects\/[^/]+\/attributes\/[^/]+\/options$/,
    scopes: ['object_configuration:read'],
    response: data(z.array(option)),
    errors: notFound,
  },
  'list statuses': {
    method: 'GET',
    path: /^\/v2\/objects\/[^/]+\/attributes\/[^/]+\/statuses$/,
    scopes: ['object_configuration:read'],
    response: data(z.array(status)),
    errors: notFound,
  },
  'list members': {
    method: 'GET',
    path: /^\/v2\/workspace_members$/,
    scopes: ['user_management:read'],
    response: data(
      z.array(
        z.strictObject({
          id: z.strictObject({ workspace_id: uuid, workspace_member_id: uuid }),
          first_name: z.string(),
          last_name: z.string(),
          avatar_url: z.url().nullable(),
          email_address: z.email(),
          created_at: z.string(),
          access_level: z.enum(['admin', 'member', 'suspended']),
        }),
      ),
    ),
  },
  'list webhooks': {
    method: 'GET',
    path: /^\/v2\/webhooks$/,
    scopes: ['webhook:read-write'],
    response: data(z.array(webhook)),
  },
  'create a webhook': {
    method: 'POST',
    path: /^\/v2\/webhooks$/,
    scopes: ['webhook:read-write'],
    body: data(z.strictObject({ target_url: z.url(), subscriptions: z.array(subscription) })),
    response: data(webhook.extend({ secret: z.string() })),
  },
  'read a webhook': {
    method: 'GET',
    path: /^\/v2\/webhooks\/[^/]+$/,
    scopes: ['webhook:read-write'],
    response: data(webhook),
    errors: notFound,
  },
  'delete a webhook': {
    method: 'DELETE',
    path: /^\/v2\/webhooks\/[^/]+$/,
    scopes: ['webhook:read-write'],
    response: z.strictObject({}),
    errors: notFound,
  },
  'identify the token': {
    method: 'GET',
    path: /^\/v2\/self$/,
    scopes: [],
    response: z.union([self, z.strictObject({ active: z.literal(false) })]),
  },
};

export const describedError = z.strictObject({
  status_code: z.number(),
  type: z.string(),
  code: z.string(),
  message: z.string(),
});
