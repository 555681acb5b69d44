package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// module is what is linked into a program.
type module struct{ path, version string }

// purl is the module's package URL.
func (m module) purl() string {
	return "pkg:golang/" + m.path + "@" + strings.ReplaceAll(m.version, "+", "%2B")
}

// linked is a program of the release with the modules in it.
type linked struct {
	name, sum string
	modules   []module
}

// linkage reads from each program what is linked into it.
func (r *release) linkage() ([]linked, error) {
	var programs []linked
	for _, t := range r.targets {
		for _, p := range r.programs {
			name := t.program(p)
			info, err := buildinfo.ReadFile(filepath.Join(r.folder, name))
			if err != nil {
				return nil, err
			}
			sum, err := r.sum(name)
			if err != nil {
				return nil, err
			}
			l := linked{name, sum, []module{{"std", strings.TrimPrefix(info.GoVersion, "go")}}}
			for _, d := range info.Deps {
				if d.Replace != nil {
					return nil, fmt.Errorf("%s has a module in the place of %s; a release has none", name, d.Path)
				}
				l.modules = append(l.modules, module{d.Path, d.Version})
			}
			programs = append(programs, l)
		}
	}
	return programs, nil
}

// licences reads the licence of each module from docs/third-party.md.
func (r *release) licences() (map[string]string, error) {
	text, err := r.source("docs/third-party.md")
	if err != nil {
		return nil, err
	}
	all := map[string]string{"std": "BSD-3-Clause"}
	expression := strings.NewReplacer(", parts ", " AND ", " and ", " AND ")
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		all[row[1]] = expression.Replace(row[2])
	}
	return all, nil
}

// bom writes the two lists of what is in the programs.
func (r *release) bom() error {
	programs, err := r.linkage()
	if err != nil {
		return err
	}
	licences, err := r.licences()
	if err != nil {
		return err
	}
	all := map[module]bool{}
	for _, p := range programs {
		for _, m := range p.modules {
			if licences[m.path] == "" {
				return fmt.Errorf("docs/third-party.md has no licence of %s, which is linked into %s", m.path, p.name)
			}
			all[m] = true
		}
	}
	modules := slices.SortedFunc(maps.Keys(all), func(a, b module) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.version, b.version))
	})
	for name, list := range map[string]any{
		"openagent.cdx.json":  r.cycloneDX(programs, modules, licences),
		"openagent.spdx.json": r.spdx(programs, modules, licences),
	} {
		text, err := json.MarshalIndent(list, "", "  ")
		if err != nil {
			return err
		}
		if err := r.write(name, append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// object is one of JSON.
type object = map[string]any

// cycloneDX returns the list in the form of CycloneDX 1.6.
func (r *release) cycloneDX(programs []linked, modules []module, licences map[string]string) object {
	main := "pkg:golang/github.com/openagent-ci/openagent@" + r.tag
	var components, dependencies []object
	var names []string
	for _, p := range programs {
		components = append(components, object{
			"type": "file", "bom-ref": p.name, "name": p.name, "version": r.version(),
			"hashes": []object{{"alg": "SHA-256", "content": p.sum}},
		})
		var refs []string
		for _, m := range p.modules {
			refs = append(refs, m.purl())
		}
		names = append(names, p.name)
		dependencies = append(dependencies, object{"ref": p.name, "dependsOn": refs})
	}
	for _, m := range modules {
		components = append(components, object{
			"type": "library", "bom-ref": m.purl(), "name": m.path, "version": m.version, "purl": m.purl(),
			"licenses": []object{{"expression": licences[m.path]}},
		})
	}
	return object{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": object{
			"timestamp": r.date.Format(time.RFC3339),
			"component": object{
				"type": "application", "bom-ref": main, "name": "openagent", "version": r.version(), "purl": main,
				"description": description, "licenses": []object{{"expression": license}},
			},
		},
		"components":   components,
		"dependencies": append(dependencies, object{"ref": main, "dependsOn": names}),
	}
}

// spdx returns the list in the form of SPDX 2.3.
func (r *release) spdx(programs []linked, modules []module, licences map[string]string) object {
	id := func(name string) string {
		return "SPDXRef-" + regexp.MustCompile(`[^0-9A-Za-z.-]`).ReplaceAllString(name, "-")
	}
	entry := func(name, version, licence, from string) object {
		return object{
			"name": name, "SPDXID": id(name + "-" + version), "versionInfo": version, "downloadLocation": from, "filesAnalyzed": false,
			"licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
		}
	}
	var packages, relations []object
	relate := func(from, kind, to string) {
		relations = append(relations, object{"spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to})
	}
	var sums strings.Builder
	for _, p := range programs {
		e := entry(p.name, r.version(), license, repository+"/releases/download/"+r.tag+"/"+p.name)
		e["packageFileName"], e["primaryPackagePurpose"] = p.name, "APPLICATION"
		e["checksums"] = []object{{"algorithm": "SHA256", "checksumValue": p.sum}}
		packages = append(packages, e)
		relate("SPDXRef-DOCUMENT", "DESCRIBES", id(p.name+"-"+r.version()))
		for _, m := range p.modules {
			relate(id(p.name+"-"+r.version()), "DEPENDS_ON", id(m.path+"-"+m.version))
		}
		sums.WriteString(p.sum)
	}
	for _, m := range modules {
		e := entry(m.path, m.version, licences[m.path], "NOASSERTION")
		e["primaryPackagePurpose"] = "LIBRARY"
		e["externalRefs"] = []object{{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": m.purl()}}
		packages = append(packages, e)
	}
	return object{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "openagent-" + r.version(),
		// No other document may have this name, so it follows from the programs.
		"documentNamespace": repository + "/spdx/" + r.tag + "-" + digest([]byte(sums.String())),
		"creationInfo":      object{"created": r.date.Format(time.RFC3339), "creators": []string{"Tool: openagent-pack"}},
		"packages":          packages,
		"relationships":     relations,
	}
}
