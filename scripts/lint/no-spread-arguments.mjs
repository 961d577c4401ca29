/** A call fails with about 100,000 arguments, and a list may be longer: these calls take each element of a spread list as one. */
const LISTS = /^(?:push|unshift|splice)$/;

const noSpreadArguments = {
  create: (context) => ({
    'CallExpression > SpreadElement'({ parent: { callee } }) {
      if (callee.type !== 'MemberExpression') return;
      if (!LISTS.test(callee.property.name) && callee.object.name !== 'Math') return;
      const message =
        'A call fails with about 100,000 arguments; use addAll or largestOf of model/collect.ts.';
      context.report({ node: callee, message });
    },
  }),
};

export default { meta: { name: 'gwconf' }, rules: { 'no-spread-arguments': noSpreadArguments } };
