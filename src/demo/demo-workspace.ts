import { type Service } from '../composition.js';

/** What the banner tells of the demo. */
export interface DemoWorkspace {
  readonly apiKey: string;
  readonly period: string;
  readonly dealId: string;
}

export async function createDemoWorkspace(_service: Service, _ownerUrl: string): Promise<DemoWorkspace | null> {
  return null;
}
