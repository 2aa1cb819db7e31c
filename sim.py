import json,re,subprocess,os,sys
os.chdir('/tmp/w/nm/copy')
files=[os.path.join(d,f) for t in ('src','tests','benches') for d,_,fs in os.walk(t) for f in fs if f.endswith('.rs')]

text={f:open(f).read() for f in files}
log=[]
def impl_ranges(s,ty):
    for m in re.finditer(r'^( *)impl(?:<[^{\n]*?>)? (?:[\w:<>, \'&]+ for )?'+ty+r'\b[^{\n]*\{',s,re.M):
        ind=m.group(1); e=re.compile(r'^'+ind+r'\}',re.M).search(s,m.end())
        yield m.start(), e.end() if e else len(s)
names=[json.loads(l) for l in open('/tmp/w/names.jsonl') if l.strip()]
done=0
for n in names:
    if n['kind']=='type':
        only=n.get('only'); c=0
        if any(re.search(r'\b(struct|enum|trait|type) '+n['new']+r'\b',t) for t in text.values()): log.append(('exists',n)); continue
        for f in files:
            if only and not any(f.startswith(o) for o in only): continue
            t,k=re.subn(r'(?<![\w"])'+n['old']+r'(?!\w)',n['new'],text[f]) 
            if k: text[f]=t; c+=k
        if not c: log.append(('none',n))
for n in names:
    if n['kind']=='method':
        f=n['file']; ty=n['type']
        # type may have been renamed above
        for m in names:
            if m['kind']=='type' and m['old']==ty: ty=m['new']
        if f not in text: log.append(('nofile',n)); continue
        s=text[f]; c=0
        for a,b in reversed(list(impl_ranges(s,ty))):
            blk=s[a:b]; new=re.sub(r'\bfn '+n['old']+r'\b(?=[<(])','fn '+n['new'],blk)
            if new!=blk:
                c+=1
                new=re.sub(r'\bSelf::'+n['old']+r'\b(?=[(\),;\s])','Self::'+n['new'],new)
            else:
                new2=re.sub(r'\bSelf::'+n['old']+r'\b(?=[(\),;\s])','Self::'+n['new'],new)
                new=new2
            s=s[:a]+new+s[b:]
        text[f]=s
        if not c: log.append(('noimpl',n))
        for g in files:
            text[g]=re.sub(r'\b'+ty+r'(::<[^>\n]*>)?::'+n['old']+r'\b',lambda m:ty+(m.group(1) or '')+'::'+n['new'],text[g])
        for g,line in n.get('calls',[]):
            if g not in text: log.append(('nocallfile',g,n)); continue
            L=text[g].split('\n'); i=line-1; ok=False
            for j in sorted(range(max(0,i-12),min(len(L),i+13)),key=lambda j:abs(j-i)):
                if re.search(r'\.'+n['old']+r'\(',L[j]): L[j]=re.sub(r'\.'+n['old']+r'\(','.'+n['new']+'(',L[j],count=1); ok=True; break
            if not ok: log.append(('nocall',g,line,n))
            text[g]='\n'.join(L)
    elif n['kind']=='fn':
        f=n['file']; s=text.get(f)
        if s is None: log.append(('nofile',n)); continue
        t,k=re.subn(r'\bfn '+n['old']+r'\b(?=[<(])','fn '+n['new'],s,count=1)
        if not k: log.append(('nofn',n))
        text[f]=t
        for g,line,old,new in n.get('calls',[]):
            if g not in text: log.append(('nocallfile',g,n)); continue
            L=text[g].split('\n'); i=line-1; ok=False
            for j in sorted(range(max(0,i-12),min(len(L),i+13)),key=lambda j:abs(j-i)):
                if old in L[j]: L[j]=L[j].replace(old,new,1); ok=True; break
            if not ok: log.append(('nocall',g,line,old))
            text[g]='\n'.join(L)
if '--write' in sys.argv:
    for f,t in text.items():
        if open(f).read()!=t: open(f,'w').write(t); done+=1
print(len(names),'names',done,'files'); 
for l in log: print(l)
