/**
 * Why there is nothing to run: what a user has to mend, or what may pass. `reason` is one word for programs. It repeats no secret.
 */
export class Refusal extends Error {
  readonly reason: string;
  readonly mayPass: boolean;
  constructor(reason: string, message: string, { mayPass = false }: { readonly mayPass?: boolean } = {}) {
    super(message);
    this.reason = reason;
    this.mayPass = mayPass;
  }
}
