/** Whether opening the address starts a program of the computer, which a person who has cancelled does not expect. */
export function opensProgram(address: string): boolean {
  return !/^https?:/i.test(address);
}
