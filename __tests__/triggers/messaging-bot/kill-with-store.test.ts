import { testKilledBot } from './kill-with-store.ts'

testKilledBot({ mainStride: 61, postStride: 13 })
