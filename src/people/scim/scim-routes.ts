import { type Request } from 'express';
import { type ScimPeople } from './scim-people.js';

/** The methods of each path of the protocol. */
export const scimRoutes = {
  '/Users': ['get', 'post'],
  '/Users/:id': ['get', 'put', 'patch', 'delete'],
  '/Groups': ['get', 'post'],
  '/Groups/:id': ['get', 'put', 'patch', 'delete'],
  '/ServiceProviderConfig': ['get'],
  '/ResourceTypes': ['get'],
  '/ResourceTypes/:id': ['get'],
  '/Schemas': ['get'],
  '/Schemas/:id': ['get'],
} as const;

type Routes = typeof scimRoutes;
export type ScimPath = keyof Routes;
export type ScimMethod = Routes[ScimPath][number];

export interface ScimRequest {
  readonly people: ScimPeople;
  readonly id: string;
  readonly query: Request['query'];
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body?: object;
}

export type Handle = (request: ScimRequest) => Promise<Answer>;

/** A handler for each method of each path. */
export type ScimHandlers = { readonly [P in ScimPath]: { readonly [M in Routes[P][number]]: Handle } };
