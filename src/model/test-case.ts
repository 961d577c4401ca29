import type { Place } from './problem.ts';

export type LocatedText = { readonly text: string; readonly at: Place };

/** A document of kind Test: what chains must be like, in files or in an environment. */
export type TestDocument = {
  /** The environment whose files and rules count. Default: the chosen one, or each of them. */
  readonly environment?: LocatedText;
  /** Files and folders in place of those of the environment. */
  readonly files?: readonly LocatedText[];
  readonly cases: readonly TestCase[];
};

export type TestCase = {
  readonly name: string;
  readonly at: Place;
  readonly as: PrincipalPattern;
  /** Only interceptors that cover this topic count. */
  readonly topic?: string;
  /** Whether the chains are those after a plan, instead of those of the files alone. */
  readonly isAfterPlan: boolean;
  readonly expect: Expectations;
};

/** The principals of a case: one, or with `*` in a name all that match. */
export type PrincipalPattern = {
  readonly at: Place;
  /** Absent: anybody else. */
  readonly username?: string;
  /** Absent: every virtual cluster for a pattern, else passthrough. */
  readonly virtualCluster?: string;
  /** Absent: the groups that the state says. */
  readonly groups?: readonly string[];
};

/** Conditions for the chain of each principal. */
export type Expectations = {
  /** Addresses, in order. */
  readonly chain?: { readonly at: Place; readonly links: readonly LocatedText[] };
  /** Globs for plugin classes, in full or by their last part, and, with a slash, for addresses. */
  readonly includes?: readonly LocatedText[];
  readonly excludes?: readonly LocatedText[];
  /** Sorts of protection. */
  readonly protectedBy?: readonly LocatedText[];
  /** No sort of protection is lost for good by the plan. */
  readonly noLastingLoss?: Place;
};

export const TEST_FILE_ENDING = '.gwtest.yaml';
