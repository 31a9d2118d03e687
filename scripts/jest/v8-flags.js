import { setFlagsFromString } from 'node:v8'

// Each suite begins with functions of its own that no compiler has seen, and most end before their
// optimised form has paid for itself: so it is made later. Newer V8s have several compilers, and
// count otherwise.
if (Number(process.versions.node.split('.')[0]) < 22)
  setFlagsFromString('--interrupt-budget=3000000')
